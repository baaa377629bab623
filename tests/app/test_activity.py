"""How fast the running replies are, all together."""

from __future__ import annotations

from app.activity import Activity
from engine.messages import Delta, Finished, Statistics
from tests.app.statistics.replies import Bridge


def test_the_rate_of_all_replies_is_of_the_last_two_seconds(qtbot: object) -> None:
    bridge, now = Bridge(), [0.0]
    activity = Activity(bridge, clock=lambda: now[0])  # type: ignore[arg-type]
    for second in range(6):
        now[0] = float(second)
        for request_id in (1, 2):
            bridge.answer(Delta(request_id, "x", (1, 2, 3), 0, Statistics(tokens_per_second=99.0)))
    assert activity.tokens_per_second == 6.0
    bridge.answer(Finished(1, "stop"))
    assert activity.tokens_per_second == 3.0
    now[0] += 3
    assert activity.tokens_per_second == 0.0
