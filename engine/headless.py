"""`slipstream-engine`: the engine without a window; only what holds Ctrl+C is imported before `main`."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    try:
        _start()
        from engine.commands import run_command

        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        return run_command(arguments)
    except KeyboardInterrupt:
        from engine.command_line import INTERRUPTED, tell

        tell("interrupted")
        return INTERRUPTED


def _start() -> None:
    """Get the BLAS; Ctrl+C waits meanwhile, so that no thread that the BLAS starts takes it."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    from engine.blas import preload_blas

    preload_blas()


if __name__ == "__main__":
    sys.exit(main())
