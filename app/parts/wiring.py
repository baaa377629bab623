"""Connects the parts of a window with each other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from app.reports.showing import report_failures
from app.sidebar.folding import Folding, write_folding

if TYPE_CHECKING:
    from app.window import MainWindow


def connect_sidebar(window: MainWindow, data_dir: Path) -> None:
    sidebar, workspace, shell, deletion = window.sidebar, window.workspace, window.shell, window.deletion
    sidebar.open_asked.connect(window.go_to_chat)
    sidebar.hit_chosen.connect(lambda hit: window.go_to_chat(hit.conversation_id, hit.message_id, sidebar.field.words))
    sidebar.new_asked.connect(workspace.new_tab)
    sidebar.hide_asked.connect(shell.toggle_sidebar)
    sidebar.left.connect(window.leave_sidebar)
    sidebar.grip.width_asked.connect(shell.set_sidebar_width)
    sidebar.folding_changed.connect(lambda folded: write_folding(data_dir, Folding(folded)))
    sidebar.menus.export_asked.connect(window.exporter.export)
    sidebar.menus.new_asked.connect(workspace.new_tab_in)
    sidebar.delete_asked.connect(deletion.delete)
    sidebar.undo_asked.connect(deletion.undo)
    deletion.hidden.connect(workspace.put_away)
    deletion.restored.connect(workspace.bring_back)
    deletion.offer_changed.connect(lambda: sidebar.offer_undo(deletion.offered_titles))
    window.chats.duplicated.connect(window.go_to_chat)
    shell.focus_left.connect(workspace.focus_page)
    shell.sidebar_toggled.connect(workspace.row.take_sidebar)


def connect_workspace(window: MainWindow) -> None:
    workspace, row, catalogue = window.workspace, window.workspace.row, window.catalogue
    row.sidebar_button.clicked.connect(window.shell.toggle_sidebar)
    row.inspector_button.clicked.connect(window.statistics.toggle_inspector)
    row.menu_button.clicked.connect(lambda: window.actions_of_window.pop_up(row.menu_button))
    workspace.body.side_toggled.connect(row.inspector_button.setChecked)
    window.upkeep.notifier.chat_asked.connect(window.show_chat)
    workspace.alike.do_to_each(window.models.popovers.serve)
    workspace.alike.do_to_each(report_failures)
    workspace.changed.connect(window.refresh)
    workspace.messages_gone.connect(window.reminder.relearn)
    workspace.used.connect(window.refresh_list)
    workspace.went_on.connect(window.teller.say_going_on)
    window.statistics.tint_changed.connect(window.actions_of_window.tint.setChecked)
    catalogue.conversations_changed.connect(window.show_conversations)
    catalogue.renamed.connect(window.take_title)
    catalogue.deleted.connect(workspace.forget)
    for forget in (window.reminder.forget, window.cache_keeper.remove_later):
        catalogue.deleted.connect(forget)  # again: its last message may have been sent meanwhile
