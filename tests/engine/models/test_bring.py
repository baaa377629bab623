"""Models on their way into memory, a slice at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.models.bring import bring_model
from engine.models.errors import ModelError
from tests.engine.tiny import tiny_folder

ENDLESS = (
    "{% if enable_thinking %}{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}{% endif %}x"
)


def test_a_template_that_takes_long_to_be_looked_at_holds_up_no_slice(tmp_path: Path) -> None:
    folder = tiny_folder(tmp_path / "slow")
    (folder / "chat_template.jinja").write_text(ENDLESS, "utf-8")
    slices = list(bring_model(str(folder), tmp_path))
    assert sum(one.done == 0 for one in slices) > 3
    assert {(one.phase, one.total > 0) for one in slices} == {("loading", True)}


def test_what_is_wrong_with_a_model_is_told_by_its_load(tmp_path: Path) -> None:
    folder = tiny_folder(tmp_path / "damaged")
    (folder / "config.json").write_text("{", "utf-8")
    with pytest.raises(ModelError, match=r"config\.json"):
        list(bring_model(str(folder), tmp_path))
