from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.blas import CARRIED, find_openblas, preload_value

PROJECT = Path(__file__).parents[2]
SHOW = "import os; from engine.blas import preload_blas; print(preload_blas(), os.environ.get('LD_PRELOAD'))"
HINT = "import engine.blas as blas; blas.find_openblas = lambda: None; print(blas.missing_blas_hint())"
OWNER_OF_GEMM = """
import engine.blas
engine.blas.preload_blas()
import ctypes, mlx.core
address = ctypes.cast(ctypes.CDLL(None).cblas_sgemm, ctypes.c_void_p).value
for line in open("/proc/self/maps"):
    start, end = (int(part, 16) for part in line.split()[0].split("-"))
    if start <= address < end:
        print(line.split()[-1])
"""
BROKEN = """
import logging, os, pathlib, sys
import engine.blas
logging.basicConfig(stream=sys.stdout, format="%(message)s")
engine.blas.find_openblas = lambda: pathlib.Path(os.environ["BROKEN"])
print(engine.blas.preload_blas())
"""
NUM_THREADS = "import engine.blas as b, ctypes; b.preload_blas(); print(ctypes.CDLL(None).openblas_get_num_threads())"
NUM_LEFT = max(1, len(os.sched_getaffinity(0)) - 1) if sys.platform == "linux" else 0
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is preloaded")
needs_openblas = pytest.mark.skipif(find_openblas() is None, reason="this system has no OpenBLAS")


def run_python(code: str, **environment: str) -> str:
    clean = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    command = [sys.executable, "-c", code]
    ended = subprocess.run(
        command, cwd=PROJECT, env=clean | environment, capture_output=True, text=True, check=True, timeout=60
    )
    return ended.stdout.strip()


@needs_openblas
def test_openblas_is_loaded_and_programs_opened_from_here_are_not_given_it():
    assert run_python(SHOW) == "True None"


@needs_openblas
def test_the_user_s_own_preload_stays():
    own = next(line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "/libm." in line)
    assert run_python(SHOW, LD_PRELOAD=own) == f"True {own}"


@linux_only
def test_a_library_that_cannot_be_loaded_is_said_and_passed_over(tmp_path):
    broken = tmp_path / "libopenblas.so.0"
    broken.write_bytes(Path("/proc/self/exe").read_bytes()[:64])
    lines = run_python(BROKEN, BROKEN=str(broken)).splitlines()
    assert lines == [f"{broken} cannot be loaded, so replies are slow: {lines[0].split('slow: ')[1]}", "False"]


@needs_openblas
@pytest.mark.parametrize(("asked", "num_threads"), [({}, NUM_LEFT), ({"OPENBLAS_NUM_THREADS": "1"}, 1)])
def test_the_library_that_the_application_carries_leaves_a_processor_to_others(tmp_path, asked, num_threads):
    carried = tmp_path / CARRIED
    carried.parent.mkdir()
    carried.symlink_to(find_openblas())
    (tmp_path / "mlx").mkdir()
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {NUM_THREADS}"
    assert run_python(code, **asked) == str(num_threads)


@linux_only
def test_the_library_that_the_application_carries_comes_first(tmp_path):
    carried = tmp_path / CARRIED
    carried.parent.mkdir()
    carried.write_bytes(Path("/proc/self/exe").read_bytes()[:64])
    (tmp_path / "mlx").mkdir()
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import engine.blas; print(engine.blas.find_openblas())"
    assert run_python(code) == str(carried)


@needs_openblas
def test_mlx_calls_the_preloaded_library():
    assert "openblas" in Path(run_python(OWNER_OF_GEMM)).name


@linux_only
def test_a_machine_without_openblas_is_told_what_to_install():
    assert "install libopenblas0-pthread" in run_python(HINT)


@linux_only
def test_a_library_of_another_processor_is_passed_over(tmp_path):
    foreign, ours = tmp_path / "foreign.so", Path("/proc/self/exe").resolve()
    foreign.write_bytes(b"\x7fELF\x01\x01" + bytes(14))
    assert find_openblas([tmp_path / "missing.so", foreign, ours]) == ours


def test_a_library_is_put_before_what_was_preloaded():
    assert preload_value(Path("/a.so"), "/b.so:/c.so") == "/a.so:/b.so:/c.so"
