"""Where each part of the window says what went wrong, and that it is past."""

from __future__ import annotations

from app.conversations.catalogue import Catalogue
from app.conversations.recorder import Recorder
from app.disk_full import DiskFull
from app.model_status import ModelStatus
from app.tasks import failures
from app.teller import Teller
from app.workspace import Workspace


def connect_troubles(
    teller: Teller,
    disk_full: DiskFull,
    workspace: Workspace,
    catalogue: Catalogue,
    recorder: Recorder,
    status: ModelStatus,
) -> None:
    workspace.trouble.connect(teller.show_trouble)
    for writer in (recorder, catalogue):
        writer.trouble.connect(disk_full.take)
    workspace.session_trouble.connect(disk_full.notice)
    disk_full.passed_on.connect(teller.show_trouble)
    failures.happened.connect(teller.show_trouble)
    status.engine_failed.connect(teller.tell_everywhere)
    for recovered in (recorder.recovered, status.engine_recovered):
        recovered.connect(teller.unsay)
