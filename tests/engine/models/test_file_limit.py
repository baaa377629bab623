"""The limit of open files before and after mlx-lm was imported, each in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

LIMITED = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, tuple(json.loads(sys.argv[1])))
{start}
assert "mlx_lm" in sys.modules
print(json.dumps(resource.getrlimit(resource.RLIMIT_NOFILE)))
"""
FUNCTION = "from engine.models.file_limit import import_mlx_lm\nimport_mlx_lm()"
THREAD = """
from engine.messages import Shutdown
from engine.thread import EngineThread
thread = EngineThread()
thread.start(lambda event: None)
thread.send(Shutdown())
thread.join()
"""
TOOL = "from engine.command_line import read_drafters\nread_drafters('none')"


def limits_after(start: str, *before: int) -> list[int]:
    """Soft and hard limit of a process after it has started."""
    command = [sys.executable, "-c", LIMITED.format(start=start), json.dumps(before)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.parametrize("start", [THREAD, TOOL], ids=["thread", "tool"])
def test_limit_of_open_files_stays_as_it_was(start):
    assert limits_after(start, 3000, 3500) == [3000, 3500]


@pytest.mark.parametrize(("before", "after"), [((1000, 1000), [1000, 1000]), ((256, 3500), [2048, 3500])])
def test_limit_is_raised_as_far_as_the_system_allows(before, after):
    assert limits_after(FUNCTION, *before) == after
