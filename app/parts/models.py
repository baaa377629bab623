"""WindowModels: the model that a window's chats go on with, and what their replies are made with."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.bridge import EngineBridge
from app.chat.plan import Planner
from app.conversations.live_reply import LiveReply
from app.conversations.recorder import Recorder
from app.models.chooser import ModelChooser
from app.models.drafters import is_drafter
from app.models.popover import ModelPopovers
from app.settings.preferences import Settings
from app.settings.presets import Presets
from app.theme.theme import Theme
from app.upkeep.running_replies import RunningReplies


class WindowModels(QObject):
    def __init__(
        self,
        theme: Theme,
        bridge: EngineBridge,
        recorder: Recorder,
        settings: Settings,
        target: str,
        drafter: str,
        parent: QObject,
    ) -> None:
        """`target` and `drafter` stand in for what is preferred; "" is none."""
        super().__init__(parent)
        self.running = RunningReplies(recorder, self)
        self.chooser = ModelChooser(bridge, settings, asked=target, num_running=lambda: self.running.count, parent=self)
        presets = Presets(settings.folder, self)
        self.planner = Planner(
            settings, presets, bridge, target_of=lambda: self.chooser.target, drafter=drafter, parent=self
        )
        self.popovers = ModelPopovers(theme, self.chooser, self.planner, settings, self)
        self.running.began.connect(self._need)
        self.running.changed.connect(self.chooser.refresh)
        self.chooser.target_changed.connect(self.planner.changed)

    def _need(self, reply: LiveReply) -> None:
        if reply.model == self.chooser.target:
            self.chooser.need()

    def use(self, target: str, drafter: str) -> None:
        """Stand in for what is preferred, until it is chosen anew; "" changes nothing."""
        if target:
            self.chooser.use(target)
        if is_drafter(drafter):
            self.planner.use_drafter(drafter)
