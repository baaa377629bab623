"""Which chip and how much memory this machine has, in words."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

CPU_FILE = Path("/proc/cpuinfo")
_NOISE = ("(R)", "(TM)", "Apple ", " CPU", " Processor", " Virtual")


def machine_words() -> str:
    """Such as "M3 Pro, 36 GB"; the memory alone where the chip does not say what it is."""
    memory = f"{round(memory_bytes() / 2**30)}\u00a0GB"  # as it is sold: in powers of two
    chip = short_chip(_chip())
    return f"{chip}, {memory}" if chip else f"{memory} of memory"


def memory_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def short_chip(name: str) -> str:
    """ "Apple M3 Pro" -> M3 Pro; without trade marks and clock rates."""
    for noise in _NOISE:
        name = name.replace(noise, "")
    return " ".join(name.split("@")[0].split())


def _chip() -> str:
    if sys.platform == "darwin":
        return _chip_of_mac()
    try:
        lines = CPU_FILE.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "")


def _chip_of_mac() -> str:
    size = ctypes.c_size_t(256)
    found = ctypes.create_string_buffer(size.value)
    failed = ctypes.CDLL(None).sysctlbyname(b"machdep.cpu.brand_string", found, ctypes.byref(size), None, 0)
    return "" if failed else found.value.decode("utf-8", "replace")
