"""What this machine computes on and how much memory is left, found without loading MLX."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

# Of all memory: what Metal recommends to one process on machines of less than 36 GB, and on others
_MACOS_SHARE, _LARGE_MACOS_SHARE, _LARGE_BYTES = 2 / 3, 0.75, 36 << 30
_PROC = Path("/proc")
_CGROUP = Path("/sys/fs/cgroup")


def runs_on_cpu() -> bool:
    """Whether MLX has no GPU backend here: it has Metal on macOS, and CUDA where its package is installed."""
    if sys.platform == "darwin":
        return False
    spec = find_spec("mlx")
    folders = (spec and spec.submodule_search_locations) or ()
    return not any(True for folder in folders for _ in Path(folder).parent.glob("mlx_cuda*.dist-info"))


def runs_on_cuda() -> bool:
    return sys.platform != "darwin" and not runs_on_cpu()


def available_memory() -> int:
    """Bytes that this process may still take: the machine's, or its control group's where that is less."""
    if sys.platform == "darwin":
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        return int(total * (_MACOS_SHARE if total < _LARGE_BYTES else _LARGE_MACOS_SHARE))
    return max(0, min(_machine_memory(_PROC / "meminfo"), *group_memory(_CGROUP, _PROC / "self" / "cgroup")))


def memory_limit(held_bytes: int) -> int:
    """Bytes that this process may take in all, where it holds so many already."""
    return available_memory() if sys.platform == "darwin" else available_memory() + held_bytes


def process_memory() -> int:
    """Bytes that this process holds, where the system tells it; else 0."""
    try:
        num_pages = int((_PROC / "self" / "statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0
    return num_pages * os.sysconf("SC_PAGE_SIZE")


def _machine_memory(path: Path) -> int:
    try:
        lines = path.read_text(encoding="ascii").splitlines()
    except OSError:  # a process that has too many files open can read none
        lines = []
    for line in lines:
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def group_memory(root: Path, membership: Path) -> list[int]:
    """What is left in each control group that limits this process, version 2 or 1; cache that can go counts as left."""
    groups = [root, root / "memory"]
    try:
        lines = membership.read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        base = root / "memory" if "memory" in controllers.split(",") else root
        inner = Path(path.lstrip("/"))
        groups += [base / inner, *(base / parent for parent in inner.parents)]
    left = [_left_in_group(group) for group in dict.fromkeys(groups)]
    return [value for value in left if value is not None] or [sys.maxsize]


def _left_in_group(group: Path) -> int | None:
    for limit_name, used_name in (
        ("memory.max", "memory.current"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes"),
    ):
        try:
            limit = int((group / limit_name).read_text(encoding="ascii"))
            used = int((group / used_name).read_text(encoding="ascii"))
            cache = _reclaimable(group / "memory.stat")
        except (OSError, ValueError):
            continue
        return limit - used + cache
    return None


def _reclaimable(path: Path) -> int:
    for line in path.read_text(encoding="ascii").splitlines():
        name, _, value = line.partition(" ")
        if name == "inactive_file":
            return int(value)
    return 0
