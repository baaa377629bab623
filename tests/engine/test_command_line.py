"""What the headless tool's commands share."""

from __future__ import annotations

import json

import pytest

from engine.command_line import BadInputError, check_json_file, read_drafters, write_json_file


def test_drafters_are_split_at_commas_with_spaces_around_and_each_is_taken_once():
    assert read_drafters(" none, model:/a b ,ngram,none") == ("none", "model:/a b", "ngram")


@pytest.mark.parametrize("text", ["", " , ", "tea-leaves", "model", "ngram:/a", "Ngram"])
def test_drafters_that_are_none_are_refused_with_what_may_be_given(text):
    with pytest.raises(BadInputError, match=f"--drafters is {text!r}.* of: none, ngram, suffix, auto:PATH, model:PATH"):
        read_drafters(text)


def test_json_file_is_refused_before_it_is_needed_where_it_cannot_be_written(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere" / "a.json"):
        with pytest.raises(BadInputError, match="cannot be written"):
            check_json_file(path)
    check_json_file(None)
    check_json_file(tmp_path / "a.json")


def test_json_file_keeps_letters_as_they_are(tmp_path):
    write_json_file(tmp_path / "a.json", {"text": "é"})
    written = (tmp_path / "a.json").read_text(encoding="utf-8")
    assert json.loads(written) == {"text": "é"}
    assert "é" in written
    with pytest.raises(BadInputError, match=r"cannot be written: .*; choose another file"):
        write_json_file(tmp_path, {})
