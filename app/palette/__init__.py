"""The command palette: one field that finds actions, chats, models, presets and drafters."""
