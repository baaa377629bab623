import pytest

from app.conversations.thought import ThoughtMeter


@pytest.fixture
def clock():
    times = iter(range(1000))
    return lambda: float(next(times))


def test_time_before_the_first_token_of_a_continued_reply_is_not_counted(clock):
    meter = ThoughtMeter("Hm", "<think>", clock)
    meter.take(", well", 1)
    assert (meter.seconds, meter.num_tokens) == (0.0, 1)
    meter.take(".", 1)
    assert (meter.seconds, meter.num_tokens) == (1.0, 2)


def test_nothing_is_counted_behind_the_reasoning(clock):
    meter = ThoughtMeter("", "", clock)
    for text in ("<think>Hm", "</think>", "\n\n", "Yes", "<think>"):
        meter.take(text, 1)
    assert (meter.seconds, meter.num_tokens) == (1.0, 1)
