"""WindowUpkeep: what goes on beside the chats of a window: the engine's health, and models that nobody uses."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.bridge import EngineBridge
from app.engine_keeper import EngineKeeper
from app.idle_unload import IdleUnload
from app.settings.preferences import Settings
from app.window_models import WindowModels
from app.workspace import Workspace


class WindowUpkeep(QObject):
    def __init__(
        self, bridge: EngineBridge, models: WindowModels, workspace: Workspace, settings: Settings, parent: QObject
    ) -> None:
        super().__init__(parent)
        self.engine = EngineKeeper(bridge, models.running, workspace.alike, self)
        self.engine.started.connect(models.chooser.load)
        self.unload = IdleUnload(bridge, models.chooser, models.running, settings, parent=self)
