"""The installed distributions that the application contains: their metadata, which is asked for as it runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distribution, distributions, packages_distributions
from pathlib import Path
from sys import stdlib_module_names

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from bundle.contents import DISTRIBUTION, DISTRIBUTIONS_LEFT_OUT, OURS

METADATA = ("METADATA", "entry_points.txt")  # RECORD and direct_url.json name folders of the machine that built it
_PARTS = ("_pyi_", "_sysconfigdata_")  # modules of PyInstaller's start and of Python itself


def required(name: str = DISTRIBUTION) -> dict[str, Distribution]:
    """The distribution and all that it requires here, by canonical name; of extras, those that are asked for."""
    found: dict[str, Distribution] = {}
    waiting: list[tuple[str, frozenset[str]]] = [(name, frozenset())]
    seen = set(waiting)
    while waiting:
        name, extras = waiting.pop()
        one = found.setdefault(canonicalize_name(name), installed(name))
        asked = [pair for pair in _requirements(one, extras) if pair not in seen]
        waiting += asked
        seen.update(asked)
    return found


def installed(name: str) -> Distribution:
    """As pip put it there; an editable install leaves a second record in the source tree.

    Raises PackageNotFoundError.
    """
    found = [
        one for one in distributions(name=name) if any(file.parent.suffix == ".dist-info" for file in one.files or ())
    ]
    return found[0] if found else distribution(name)


def _requirements(one: Distribution, extras: Iterable[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """(canonical name, extras) of each."""
    for text in one.requires or ():
        wanted = Requirement(text)
        name = canonicalize_name(wanted.name)
        holds = wanted.marker is None or any(wanted.marker.evaluate({"extra": extra}) for extra in ("", *extras))
        if holds and name not in DISTRIBUTIONS_LEFT_OUT:
            yield name, frozenset(wanted.extras)


def metadata_files(ones: Iterable[Distribution]) -> list[tuple[str, str]]:
    """(file, folder in the application) of each."""
    folders = [Path(str(one.locate_file("")), _folder_name(one)) for one in ones]
    return [(str(path), folder.name) for folder in folders for name in METADATA if (path := folder / name).is_file()]


def _folder_name(one: Distribution) -> str:
    """Such as numpy-2.4.6.dist-info."""
    files = one.files or ()
    return next(str(file.parent) for file in files if file.name == "METADATA" and file.parent.suffix == ".dist-info")


def unlisted(modules: Iterable[str], distributions: Iterable[str]) -> list[str]:
    """Packages among `modules` that belong to none of the distributions: nobody asked for them."""
    owners = packages_distributions()
    tops = {module.partition(".")[0] for module in modules} - set(OURS) - set(stdlib_module_names)
    tops = {top for top in tops if not top.startswith(_PARTS)}
    listed = set(distributions)
    return sorted(top for top in tops if not listed & {canonicalize_name(name) for name in owners.get(top, ())})
