"""Entry point of the window: what must be right before Qt and the engine are imported."""

from __future__ import annotations

import sys

from app.system_libraries import missing_libraries_sentence
from engine.blas import missing_blas_hint, preload_blas


def main() -> int:
    """Open the window; the exit status is 1, after one sentence, where this system cannot show one."""
    preload_blas()
    if sentence := missing_libraries_sentence():
        print(sentence, file=sys.stderr)
        return 1
    if hint := missing_blas_hint():
        print(hint, file=sys.stderr)
    from app.__main__ import main as open_window

    return open_window(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
