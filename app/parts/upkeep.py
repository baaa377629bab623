"""WindowUpkeep: what goes on beside a window's chats: the engine's health, idle models, notifications, wakefulness."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.bridge import EngineBridge
from app.conversations.catalogue import Catalogue
from app.conversations.titles import NEW_TITLE
from app.desktop.desktop import Desktop
from app.models.idle_unload import IdleUnload
from app.parts.models import WindowModels
from app.settings.preferences import Settings
from app.tabs.workspace import Workspace
from app.upkeep.cache_limits import CacheLimits
from app.upkeep.engine_keeper import EngineKeeper
from app.upkeep.notifier import Notifier
from app.upkeep.wakefulness import REPLIES, Wakefulness


class WindowUpkeep(QObject):
    def __init__(
        self,
        bridge: EngineBridge,
        models: WindowModels,
        workspace: Workspace,
        settings: Settings,
        desktop: Desktop,
        catalogue: Catalogue,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        running = models.running
        self.engine = EngineKeeper(bridge, running, workspace.alike, self)
        self.engine.started.connect(CacheLimits(settings, bridge, self).tell)
        self.engine.started.connect(models.chooser.load)
        self.wakefulness = Wakefulness(desktop, self)
        running.changed.connect(lambda: self.wakefulness.set_needed(REPLIES, running.count > 0))
        self.notifier = Notifier(
            desktop,
            running,
            settings,
            is_seen=lambda chat: is_chat_seen(workspace, chat),
            title_of=lambda chat: title_of(workspace, catalogue, chat),
            parent=self,
        )
        self.unload = IdleUnload(bridge, models.chooser, running, settings, parent=self)


def is_chat_seen(workspace: Workspace, chat: str) -> bool:
    """Whether its tab is shown, in a window that is in use."""
    tab = workspace.current
    return tab is not None and tab.session.conversation_id == chat and workspace.window().isActiveWindow()


def title_of(workspace: Workspace, catalogue: Catalogue, chat: str) -> str:
    shown = (tab.title for tab in workspace.tabs if tab.session.conversation_id == chat)
    listed = (one.title for one in catalogue.conversations if one.id == chat)
    return [*shown, *listed, NEW_TITLE][0]
