"""Rates from deliveries, without a clock."""

from __future__ import annotations

import pytest

from engine.bench.timing import Delivery, Span, add_spans, decode_span, first_times, full_span, last_times


def test_tokens_of_the_first_delivery_count_on_neither_side():
    deliveries = [Delivery(0, 3, 1.0), Delivery(0, 2, 2.0), Delivery(0, 4, 3.0)]
    assert decode_span(deliveries) == Span(6, 2.0)
    assert decode_span(deliveries).rate == 3.0


# Row 1 begins when row 0 has its second tokens, and row 0 ends first.
STAGGERED = [
    Delivery(0, 1, 1.0),
    Delivery(0, 2, 2.0),
    Delivery(1, 1, 2.0),
    Delivery(0, 3, 3.0),
    Delivery(1, 4, 3.0),
    Delivery(1, 5, 5.0),
]


def test_decoding_of_a_batch_lasts_from_the_first_token_of_all_to_the_last():
    assert decode_span(STAGGERED) == Span(2 + 3 + 4 + 5, 4.0)


def test_full_decoding_begins_when_every_row_has_a_token_and_ends_with_the_first_row():
    assert full_span(STAGGERED) == Span(3 + 4, 1.0)


def test_rows_that_never_ran_together_have_no_full_decoding():
    deliveries = [Delivery(0, 1, 1.0), Delivery(0, 2, 2.0), Delivery(1, 1, 3.0), Delivery(1, 2, 4.0)]
    assert full_span(deliveries) == Span()
    assert decode_span(deliveries) == Span(4, 3.0)


@pytest.mark.parametrize("deliveries", [[], [Delivery(0, 5, 1.0)]])
def test_what_has_no_second_delivery_has_no_rate(deliveries):
    assert decode_span(deliveries) == Span()
    assert decode_span(deliveries).rate == 0.0
    assert full_span(deliveries) == Span()


def test_times_of_rows():
    assert first_times(STAGGERED) == {0: 1.0, 1: 2.0}
    assert last_times(STAGGERED) == {0: 3.0, 1: 5.0}


def test_spans_are_added_before_they_are_divided():
    assert add_spans([Span(10, 1.0), Span(10, 4.0)]).rate == 4.0
