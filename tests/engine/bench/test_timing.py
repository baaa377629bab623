"""Rates from deliveries, without a clock."""

from __future__ import annotations

import pytest

from engine.bench.timing import Delivery, Span, add_spans, decode_span, first_times, row_seconds


def test_tokens_of_the_first_delivery_count_on_neither_side():
    deliveries = [Delivery(0, 3, 1.0), Delivery(0, 2, 2.0), Delivery(0, 4, 3.0)]
    assert decode_span(deliveries) == Span(6, 2.0)
    assert decode_span(deliveries).rate == 3.0


def test_decoding_of_a_batch_begins_when_every_row_has_a_token():
    deliveries = [
        Delivery(0, 1, 1.0),
        Delivery(0, 1, 2.0),
        Delivery(1, 1, 2.0),
        Delivery(0, 1, 3.0),
        Delivery(1, 1, 3.0),
    ]
    assert decode_span(deliveries) == Span(2, 1.0)


def test_rows_that_end_early_leave_the_others_running():
    deliveries = [Delivery(0, 1, 1.0), Delivery(1, 1, 1.0), Delivery(1, 2, 2.0), Delivery(1, 2, 4.0)]
    assert decode_span(deliveries) == Span(4, 3.0)


@pytest.mark.parametrize("deliveries", [[], [Delivery(0, 5, 1.0)]])
def test_what_has_no_second_delivery_has_no_rate(deliveries):
    assert decode_span(deliveries) == Span()
    assert decode_span(deliveries).rate == 0.0


def test_times_of_rows():
    deliveries = [Delivery(0, 1, 1.0), Delivery(1, 1, 2.0), Delivery(0, 1, 4.0)]
    assert first_times(deliveries) == {0: 1.0, 1: 2.0}
    assert [row_seconds(deliveries, row) for row in range(3)] == [3.0, 0.0, 0.0]


def test_spans_are_added_before_they_are_divided():
    assert add_spans([Span(10, 1.0), Span(10, 4.0)]).rate == 4.0
