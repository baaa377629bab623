"""Every row of SEMANTICS.md names a test that is there."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent


def test_every_row_names_a_test_that_exists():
    lines = (HERE / "SEMANTICS.md").read_text(encoding="utf-8").splitlines()
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in lines if re.match(r"\| [A-G2][\d.]", line)
    ]
    tests = {
        name for path in HERE.rglob("test_*.py") for name in re.findall(r"def (test_\w+)", path.read_text("utf-8"))
    }
    assert len(rows) > 70
    assert [row for row in rows if row[2] != "later" and row[2] not in tests] == []
