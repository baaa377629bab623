"""Entry point of the window: what must be right before Qt and the engine are imported."""

from __future__ import annotations

import logging
import multiprocessing
import os
import sys
import threading

from app.arguments import parse_arguments
from app.system.libraries import missing_libraries_sentence
from engine.blas import missing_blas_hint, preload_blas

logger = logging.getLogger(__name__)
LEFT_SECONDS = 2.0  # for work of files that was broken off to clear up behind itself
LEFT_BEHIND = ("engine", "files")  # how the threads are named that may wait for ever: for a device, for a folder


def main() -> int:
    """Open the window; the exit status is 1, after one sentence, where this system cannot show one."""
    multiprocessing.freeze_support()  # Python starts helpers through the program, which is no interpreter in a bundle
    preload_blas()
    options = parse_arguments(sys.argv[1:])
    if options.self_test:
        from app.self_test.run import run_self_test

        return end_process(run_self_test(print_line))
    if sentence := missing_libraries_sentence():
        print(sentence, file=sys.stderr)
        return 1
    if hint := missing_blas_hint():
        print(hint, file=sys.stderr)
    from app.__main__ import main as open_window

    return end_process(open_window(options))


def print_line(line: str) -> None:
    """At once, so that what came before a crash is known."""
    print(line, flush=True)


def end_process(status: int) -> int:
    """The exit status; the process ends here where a thread does not, which would keep it alive without a window.

    To be called when everything is saved.
    """
    left = [thread for thread in threading.enumerate() if thread.name.startswith(LEFT_BEHIND) and not thread.daemon]
    for thread in left:
        thread.join(LEFT_SECONDS)
    if any(thread.is_alive() for thread in left):
        logger.warning("the program ends although these do not: %s", ", ".join(thread.name for thread in left))
        logging.shutdown()
        os._exit(status)
    return status


if __name__ == "__main__":
    sys.exit(main())
