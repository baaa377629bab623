"""The command line of the window's program."""

from __future__ import annotations

import pytest

from app.arguments import parse_arguments


def test_an_unknown_drafter_is_named_with_the_choices(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        parse_arguments(["--drafter", "nonesuch"])
    assert stopped.value.code == 2
    assert "ngram" in capsys.readouterr().err
