"""Starts with a damaged file that are killed, each one step later than the one before: `python -m … FOLDER`.

A step is a file that is opened, renamed or removed, or a database that is connected to. Prints what the next start had
after each: its chats and its sentence.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from contextlib import closing
from pathlib import Path

from app.conversations.opening import open_database

_STEPS = ("open", "os.rename", "os.remove", "sqlite3.connect")


def _start(path: Path, num_steps: int) -> None:
    """Ends this process after so many steps, or with status 0 where there are fewer."""
    left = num_steps

    def count(event: str, _: object) -> None:
        nonlocal left
        left -= event in _STEPS
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    open_database(path)
    os._exit(0)


def main() -> None:
    folder = Path(sys.argv[1])
    num_steps, status = 0, 1
    while status:
        work = folder.with_name(f"killed-{num_steps}")
        shutil.copytree(folder, work)
        if (child := os.fork()) == 0:
            _start(work / "conversations.sqlite", num_steps)
        status = os.waitpid(child, 0)[1]
        opened = open_database(work / "conversations.sqlite")
        with closing(opened.connection) as connection:
            titles = [title for (title,) in connection.execute("SELECT title FROM conversations")]
        print(num_steps, titles, len(list(work.glob("*.damaged-*.sqlite"))), opened.problem)
        num_steps += 1


if __name__ == "__main__":
    main()
