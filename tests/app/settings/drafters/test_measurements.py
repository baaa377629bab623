"""Measurements are kept, and known for what they are after an update."""

from __future__ import annotations

from dataclasses import replace

from app.settings.drafters.file_state import file_state
from app.settings.drafters.measurements import FILE_NAME, TOGETHER, Measurements, is_before_update
from app.system.machine import program_version, system_version
from tests.app.settings.drafters.conftest import measured
from tests.app.settings.drafters.known_drafters import TARGET


def test_what_was_measured_is_there_at_the_next_start(data_dir):
    Measurements(data_dir).keep([measured("ngram", 1.2), measured("ngram", 0.9, TOGETHER)])
    again = Measurements(data_dir)
    assert [again.of(TARGET, "ngram", number).speedup for number in (1, TOGETHER)] == [1.2, 0.9]
    assert again.of(TARGET, "suffix") is None
    assert again.of("/models/other", "ngram") is None


def test_a_later_measurement_takes_the_place_of_an_earlier(data_dir):
    measurements = Measurements(data_dir)
    measurements.keep([measured("ngram", 1.2)])
    measurements.keep([measured("ngram", 0.8)])
    assert measurements.of(TARGET, "ngram").speedup == 0.8


def test_a_damaged_file_begins_anew(data_dir):
    (data_dir / FILE_NAME).write_text('{"measurements": [{"target": 7}, 3]}', encoding="utf-8")
    assert Measurements(data_dir).plain(TARGET) is None


def test_another_program_system_or_file_makes_it_one_of_before_an_update():
    now = {"program": program_version(), "system": system_version(), "target_state": "a", "drafter_state": "b"}
    measurement = measured("ngram", 1.2, **now)
    assert not is_before_update(measurement, "a", "b")
    assert is_before_update(measurement, "other", "b")
    assert is_before_update(measurement, "a", "other")
    assert is_before_update(replace(measurement, program="0.0"), "a", "b")
    assert is_before_update(replace(measurement, system="macOS 9"), "a", "b")


def test_state_of_files_changes_with_any_of_them(tmp_path):
    file = tmp_path / "model.safetensors"
    file.write_bytes(b"one")
    before = file_state(str(tmp_path))
    assert before == file_state(str(tmp_path)) != ""
    file.write_bytes(b"another")
    assert file_state(str(tmp_path)) != before
    assert file_state(str(tmp_path / "missing")) == ""
