"""Costs: what was measured, and what is taken for what was not."""

from __future__ import annotations

import os
import time

import pytest

from engine.cost_file import LEFT_BEHIND_SECONDS, STORE_SECONDS, CostFile, load_costs, save_costs
from engine.costs import SAMPLES, WIDER, CostTable, Place, place, ratio_at
from engine.messages import KvScheme

ONE = Place(1, 0)


def table(plain: float = 1.0, widths: dict[int, float] | None = None, where: Place = ONE) -> CostTable:
    costs = CostTable()
    costs.count_plain(where, plain)
    for width, seconds in (widths or {}).items():
        for _ in range(2):  # the first of a width is dropped
            costs.count_verify(where, width, seconds)
    return costs


def test_context_counts_by_doublings_past_the_short():
    assert [place(1, tokens).context for tokens in (1, 512, 513, 1024, 1025, 40_000)] == [0, 0, 1, 1, 2, 7]


def test_forwards_of_one_kv_scheme_say_nothing_of_another_s():
    quantised, coarser = (place(1, 9, KvScheme(bits, 32)) for bits in (8, 4))
    costs = table(2.0, {4: 3.0}, quantised)
    for other in (ONE, coarser):
        assert [costs.plain_seconds(other), costs.base_seconds(other), costs.verify_seconds(other, 4)] == [0.0] * 3
    costs.count_plain(ONE, 1.0)
    assert costs.verify_seconds(ONE, 4) == pytest.approx(1 + 3 * WIDER)
    assert costs.verify_seconds(place(2, 9, KvScheme(8, 32)), 4) == 3.0
    assert place(1, 9, KvScheme(0, 32, 5)) == ONE


def test_first_forward_of_a_width_is_dropped_and_a_slow_one_changes_nothing():
    costs = table()
    for seconds in (9.0, 2.0, 2.1, 50.0, 2.0):
        costs.count_verify(ONE, 4, seconds)
    assert costs.verify_seconds(ONE, 4) == 2.0


def test_slow_first_measurement_is_corrected_by_the_next():
    costs = table()
    for seconds in (9.0, 30.0, 1.2):
        costs.count_verify(ONE, 4, seconds)
    assert costs.verify_seconds(ONE, 4) == 1.2


def test_latest_samples_count():
    costs = table()
    for seconds in [1.0] * 20 + [3.0] * SAMPLES:
        costs.count_verify(ONE, 4, seconds)
    assert costs.verify_seconds(ONE, 4) == 3.0


def test_widths_between_measured_ones_lie_on_straight_lines_and_wider_ones_are_hoped_to_be_cheap():
    assert ratio_at({}, 5) == pytest.approx(1 + 4 * WIDER)
    assert [ratio_at({5: 2.0}, width) for width in (1, 2, 3, 5, 6)] == pytest.approx([1, 1.25, 1.5, 2, 2 + WIDER])


def test_other_context_or_number_of_rows_is_estimated_from_the_nearest():
    costs = table(1.0, {4: 1.5})
    costs.count_plain(Place(4, 0), 2.0)
    assert costs.verify_seconds(Place(4, 0), 4) == 3.0
    assert costs.verify_seconds(Place(1, 3), 4) == 1.5
    assert costs.plain_seconds(Place(1, 3)) == 1.0


def test_plain_cost_of_another_number_of_rows_is_not_taken_for_one_s_own():
    assert table().plain_seconds(Place(2, 0)) == 0.0


def test_plain_cost_of_a_longer_context_is_not_taken_for_a_shorter_one_s():
    costs = table(8.0, where=Place(1, 6))
    assert [costs.plain_seconds(Place(1, context)) for context in (0, 5, 6, 7)] == [0.0, 0.0, 8.0, 8.0]
    costs.count_plain(Place(1, 2), 2.0)
    assert [costs.plain_seconds(Place(1, context)) for context in (1, 2, 5, 6)] == [0.0, 2.0, 2.0, 8.0]


def test_plain_forward_takes_no_longer_than_a_wider_one_that_was_waited_for():
    costs = table(10.0, {5: 1.5})  # plain decoding was measured while the machine was busy
    assert costs.plain_seconds(ONE) == 1.5
    assert costs.base_seconds(ONE) == 1.5


def test_without_a_plain_measurement_a_forward_that_was_waited_for_stands_in():
    costs = CostTable()
    assert costs.verify_seconds(ONE, 4) == 0.0
    costs.count_verify(ONE, 1, 1.0)
    costs.count_verify(ONE, 1, 1.0)
    assert costs.base_seconds(ONE) == 1.0
    assert costs.plain_seconds(ONE) == 0.0


def test_base_of_other_numbers_of_rows_is_taken_from_the_nearest():
    costs = table(1.0)
    costs.count_plain(Place(6, 0), 4.0)
    assert [costs.base_seconds(Place(rows, 0)) for rows in (2, 5, 8)] == [1.0, 4.0, 4.0]


def test_drafting_that_was_not_measured_is_in_proportion():
    costs = CostTable()
    assert costs.draft_seconds("model:a", 1, 4) == 0.0
    for _ in range(2):
        costs.count_draft("model:a", 1, 4, 2.0)
    assert costs.draft_seconds("model:a", 1, 2) == 1.0
    assert costs.draft_seconds("model:b", 1, 2) == 0.0


def test_table_survives_being_stored():
    costs = table(1.0, {4: 1.5})
    costs.count_plain(Place(4, 1, "8/32/0"), 2.0)
    restored = CostTable.restore(costs.store())
    assert restored.store() == costs.store()
    assert restored.verify_seconds(ONE, 4) == 1.5
    assert not restored.is_changed


def test_costs_that_were_stored_before_schemes_were_told_apart_are_read():
    restored = CostTable.restore({"plain": [[1, 0, 1.0]], "verify": [[1, 0, 4, 1.5]]})
    assert (restored.plain_seconds(ONE), restored.verify_seconds(ONE, 4)) == (1.0, 1.5)


def test_costs_are_kept_in_a_file_of_the_model_and_only_written_when_they_changed(tmp_path):
    path = tmp_path / "costs" / "a.json"
    save_costs(table(1.0, {4: 1.5}), path)
    costs = load_costs(path)
    assert costs.verify_seconds(ONE, 4) == 1.5
    path.unlink()
    save_costs(costs, path)
    assert not path.exists()


def test_costs_are_stored_now_and_then_while_replies_run(tmp_path):
    path, moment = tmp_path / "costs" / "a.json", [0.0]
    file = CostFile(path, lambda: moment[0])
    file.costs.count_plain(ONE, 1.0)
    file.store_now_and_then()
    assert not path.exists()
    moment[0] = STORE_SECONDS
    file.store_now_and_then()
    assert load_costs(path).plain_seconds(ONE) == 1.0
    path.unlink()
    file.costs.count_plain(ONE, 2.0)
    file.store_now_and_then()
    assert not path.exists()


def test_processes_that_store_at_once_do_not_share_an_unfinished_file(tmp_path, monkeypatch):
    path, written = tmp_path / "a.json", []
    monkeypatch.setattr("os.replace", lambda source, target: written.append(source.name))
    for process in (11, 12):
        monkeypatch.setattr("os.getpid", lambda process=process: process)
        save_costs(table(), path)
    assert written == ["a.11.tmp", "a.12.tmp"]


def test_unfinished_files_of_processes_that_were_killed_are_swept(tmp_path):
    old, fresh = tmp_path / "a.5.tmp", tmp_path / "a.6.tmp"
    for path, age in ((old, 2 * LEFT_BEHIND_SECONDS), (fresh, 0.0)):
        path.touch()
        os.utime(path, (time.time() - age,) * 2)
    save_costs(table(), tmp_path / "a.json")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.6.tmp", "a.json"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"plain": [[1, 0, -1.0]], "verify": []}',
        '{"plain": 3, "verify": []}',
        '{"plain": [[Infinity, 0, 1.0]], "verify": []}',
        '{"plain": [[1, 0, 1%s]], "verify": []}' % ("0" * 400),
        "[" * 100_000,
    ],
    ids=range(8),
)
def test_damaged_costs_are_measured_anew(tmp_path, text, caplog):
    path = tmp_path / "a.json"
    path.write_text(text)
    assert load_costs(path).store() == {"plain": [], "verify": []}
    assert "measured anew" in caplog.text
    caplog.clear()


def test_disk_that_refuses_is_told_in_the_log(tmp_path, caplog):
    (tmp_path / "costs").write_text("a file where the folder should be")
    save_costs(table(), tmp_path / "costs" / "a.json")
    assert "could not be stored" in caplog.text
    caplog.clear()
