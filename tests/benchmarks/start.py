"""What a start takes on this machine: `python -m tests.benchmarks.start`.

The real program is started several times on a display of its own: from the beginning of its process to the first
painting of its window, to a composer that takes keys, and to a loaded model. Where other programs keep the machine
busy the processor time of the GUI thread says more. The first start compiles the program and imports the model.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CHILD, BEGAN, DISPLAY = "SLIPSTREAM_START_CHILD", "SLIPSTREAM_START_BEGAN", ":87"
MOST_SECONDS = 120.0
MOMENTS = ("window", "composer", "model")
Start = dict[str, tuple[float, float]]  # by moment: seconds, and those that the GUI thread worked


def child() -> int:
    """The program with a watch on its window; ends it and prints what each moment took."""
    from app import launch
    from engine.blas import preload_blas

    preload_blas()  # as the program does, before MLX
    from PySide6.QtCore import QEvent, QObject, QTimer

    import app.application

    class Watched(app.application.Application):
        def __init__(self, arguments: list[str]) -> None:
            super().__init__(arguments)
            self.seconds: Start = {}
            self.installEventFilter(self)

        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            kind = type(watched).__name__
            if kind == "MainWindow" and event.type() == QEvent.Type.Paint and "window" not in self.seconds:
                self.note("window")
                watched.chooser.changed.connect(lambda: self.take(watched))  # type: ignore[attr-defined]
            elif kind == "Field" and event.type() == QEvent.Type.Show:
                QTimer.singleShot(0, lambda: self.note("composer"))
            return False

        def take(self, window: QObject) -> None:
            if window.chooser.is_loaded or window.chooser.error:  # type: ignore[attr-defined]
                self.note("model")
                QTimer.singleShot(100, self.end)

        def note(self, moment: str) -> None:
            self.seconds.setdefault(moment, (time.time() - float(os.environ[BEGAN]), time.thread_time()))

        def end(self) -> None:
            print(json.dumps(self.seconds), flush=True)
            self.quit()

    app.application.Application = Watched  # type: ignore[misc]
    return launch.main()


def measure(folder: Path, display: str) -> Start:
    environment = os.environ | {CHILD: "1", "SLIPSTREAM_DATA": str(folder / "data"), "DISPLAY": display}
    environment |= {"PYTHONPYCACHEPREFIX": str(folder / "bytecode"), BEGAN: str(time.time())}  # as it is installed
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-m", "tests.benchmarks.start"]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=MOST_SECONDS, check=False)
    lines = [line for line in ended.stdout.splitlines() if line.startswith("{")]
    if not lines:
        raise SystemExit(f"the program did not start: {ended.stderr[-2000:]}")
    return {moment: (seconds, busy) for moment, (seconds, busy) in json.loads(lines[-1]).items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--times", type=int, default=7, help="starts that are counted, after the first")
    options = parser.parse_args()
    server = None
    if sys.platform == "linux" and shutil.which("Xvfb"):
        server = subprocess.Popen(["Xvfb", DISPLAY, "-screen", "0", "1500x1000x24"], stderr=subprocess.DEVNULL)
        time.sleep(1.0)
    display = DISPLAY if server else os.environ.get("DISPLAY", "")
    try:
        with tempfile.TemporaryDirectory() as name:
            report(measure(Path(name), display), [measure(Path(name), display) for _ in range(options.times)])
    finally:
        if server is not None:
            server.terminate()


def report(first: Start, warm: list[Start]) -> None:
    for moment in MOMENTS:
        seconds = sorted(start[moment][0] for start in warm)
        busy = statistics.median(start[moment][1] for start in warm)
        span = f"{statistics.median(seconds):.2f} s ({seconds[0]:.2f} to {seconds[-1]:.2f})"
        print(f"{moment:10} first {first[moment][0]:.2f} s, then {span}, the GUI thread busy for {busy:.2f} s")


if __name__ == "__main__":
    if os.environ.get(CHILD):
        raise SystemExit(child())
    main()
