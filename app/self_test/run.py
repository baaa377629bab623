"""`Slipstream --self-test`: says line by line whether this program is whole and works on this machine."""

from __future__ import annotations

import faulthandler
import logging
import os
import platform
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from app.library import places
from app.self_test.replies import Asking, CheckError, Reply, asking, compare, makes_sense
from app.system.frozen import bundle_folder
from app.system.libraries import chosen_platform, missing_libraries_sentence
from app.system.machine import program_version, system_version
from engine.blas import blas_is_preloaded

LIMIT_SECONDS = 300.0
WEIGHTLESS = ("ngram", "suffix")
_GOOD, _BAD = "ok     ", "FAILED "


class Checks:
    """Tells each check as it ends, and counts those that failed."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self.num_good = 0
        self.num_failed = 0

    def good(self, sentence: str) -> None:
        self.num_good += 1
        self._tell(_GOOD + sentence)

    def failed(self, sentence: str) -> None:
        self.num_failed += 1
        self._tell(_BAD + sentence)

    @contextmanager
    def check(self, what: str) -> Iterator[None]:
        """Tell a CheckError of the block as the failure of `what`."""
        try:
            yield
        except CheckError as error:
            self.failed(f"{what}: {error}")

    def conclude(self) -> int:
        """The exit status."""
        if self.num_failed:
            self._tell(f"{self.num_failed} of {self.num_good + self.num_failed} checks failed.")
            return 1
        self._tell(f"All {self.num_good} checks passed.")
        return 0


def run_self_test(tell: Callable[[str], None], limit_seconds: float = LIMIT_SECONDS) -> int:
    """`tell` takes each line; returns the exit status, or ends the process with 1 where it takes too long.

    Everything is written to a folder that goes with the test, and the network is not used.
    """
    logging.basicConfig(level=logging.CRITICAL)  # what goes wrong is told in sentences
    watch = threading.Timer(limit_seconds, _give_up, (tell, limit_seconds))
    watch.daemon = True
    watch.start()
    with tempfile.TemporaryDirectory(prefix="slipstream-self-test-", ignore_cleanup_errors=True) as name:
        _use_folder(Path(name))
        checks = Checks(tell)
        tell(_program_words())
        with checks.check("The engine"):
            _check_engine(checks, Path(name, "data"))
        with checks.check("The window"):
            _check_window(checks, Path(name, "data"))
        status = checks.conclude()
    watch.cancel()
    return status


def _give_up(tell: Callable[[str], None], limit_seconds: float) -> None:
    tell(f"{_BAD}The self-test did not end within {limit_seconds:.0f} s. What each thread does:")
    faulthandler.dump_traceback()
    os._exit(1)


def _use_folder(folder: Path) -> None:
    """Keep away from what is the user's, and from the network."""
    for part in ("data", "hub"):
        (folder / part).mkdir()
    os.environ["SLIPSTREAM_DATA"] = str(folder / "data")
    os.environ["HF_HOME"] = str(folder / "hub")
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ.pop("HF_HUB_CACHE", None)


def _program_words() -> str:
    folder = bundle_folder()
    place = f"the bundle in {folder}" if folder else f"Python in {sys.prefix}"
    version = program_version() or "without a version"
    return (
        f"Slipstream {version}, {place}, Python {platform.python_version()}, {system_version()}, {platform.machine()}"
    )


def _check_engine(checks: Checks, folder: Path) -> None:
    with asking(folder) as engine:
        facts = engine.load_starter()
        if not _is_carried(Path(facts.folder)):
            raise CheckError(f"the starter model is not the bundle's own: it lies in {facts.folder}")
        checks.good(f"The starter model was loaded: {facts.name}, {facts.quantisation}, from {facts.folder}.")
        plain = engine.reply("none")
        if not makes_sense(plain.text):
            raise CheckError(f"the starter model was asked to copy the alphabet and wrote {plain.text!r}")
        rate = plain.statistics.tokens_per_second
        checks.good(f"It replied without a drafter: {len(plain.token_ids)} tokens, {rate:.0f} tok/s.")
        with checks.check("The device"):
            traits = {"has_blas": blas_is_preloaded(), "is_bundle": bundle_folder() is not None}
            checks.good(device_words(engine.device(), sys.platform, **traits))
        for drafter in WEIGHTLESS:
            with checks.check(f"The drafter {drafter}"):
                checks.good(f"The drafter {drafter}: {compare(plain, engine.reply(drafter))}.")
        _check_carried(checks, engine, plain)


def _is_carried(folder: Path) -> bool:
    """Whether a folder is the bundle's own, where this is one; macOS keeps its data beside the rest, behind links."""
    bundle = bundle_folder()
    if bundle is None:
        return True
    app = next((one for one in bundle.parents if one.suffix == ".app"), bundle)
    return folder.resolve().is_relative_to(app.resolve())


def device_words(device: str, system: str, *, has_blas: bool, is_bundle: bool) -> str:
    """`has_blas`: an OpenBLAS answers MLX's calls; a bundle for Linux brings one.

    Raises CheckError where a Mac does not compute with Metal, or a bundle without what it brings.
    """
    if system == "darwin":
        if not device.startswith("Metal"):
            raise CheckError(f"MLX computes on {device or 'nothing'}: it found no Metal library, or no GPU")
        return f"MLX computes on: {device}; its Metal library was found, and the replies were computed with it."
    if device != "CPU":
        return f"MLX computes on: {device}."
    if is_bundle and not has_blas:
        raise CheckError("MLX computes on the CPU without the OpenBLAS that the bundle brings, several times as slowly")
    return f"MLX computes on: CPU, with {'OpenBLAS' if has_blas else 'a BLAS of its own, which is slow'}."


def _check_carried(checks: Checks, engine: Asking, plain: Reply) -> None:
    """Those with weights that came with the program, where they are for this model."""
    for path in sorted(one.parent for one in places.CARRIED.glob("*/config.json")):
        with checks.check(f"The drafter {path.name}"):
            facts = engine.inspect(str(path))
            if facts.refusal:
                checks.good(f"The drafter {path.name} is for another model: {facts.refusal}")
            else:
                checks.good(f"The drafter {path.name}: {compare(plain, engine.reply(f'auto:{path}'))}.")


def _check_window(checks: Checks, folder: Path) -> None:
    if not chosen_platform():
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    if sentence := missing_libraries_sentence():
        raise CheckError(sentence)
    from app.self_test.window import check_window  # Qt, which the engine's checks need nothing of

    checks.good(f"The window opened and closed: {check_window(folder)}.")
