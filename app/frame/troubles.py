"""Where each part of the window says what went wrong, and that it is past."""

from __future__ import annotations

from app.conversations.catalogue import Catalogue
from app.conversations.recorder import Recorder
from app.models.chooser import ModelChooser
from app.tabs.teller import Teller
from app.tabs.workspace import Workspace
from app.tasks import failures
from app.upkeep.disk_full import DiskFull


def connect_troubles(
    teller: Teller,
    disk_full: DiskFull,
    workspace: Workspace,
    catalogue: Catalogue,
    recorder: Recorder,
    chooser: ModelChooser,
) -> None:
    workspace.trouble.connect(teller.show_trouble)
    for writer in (recorder, catalogue):
        writer.trouble.connect(teller.show_trouble)
        writer.disk_full.connect(lambda sentence: disk_full.notice())
    workspace.disk_full.connect(disk_full.notice)
    failures.happened.connect(teller.show_trouble)
    chooser.gave_way.connect(teller.show_trouble)
    recorder.recovered.connect(teller.unsay)
