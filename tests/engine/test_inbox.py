"""The inbox: order kept, and a Cancel known before its turn comes."""

from __future__ import annotations

from engine.inbox import Inbox
from engine.messages import Cancel, Shutdown


def test_messages_come_out_in_order_with_the_time_they_were_put():
    inbox = Inbox()
    inbox.put(Cancel(1))
    inbox.put(Shutdown())
    (first_at, first), (second_at, second) = inbox.get(), inbox.get()
    assert (first, second) == (Cancel(1), Shutdown())
    assert first_at <= second_at
    assert inbox.is_empty()


def test_request_is_stopping_while_its_cancel_waits():
    inbox = Inbox()
    assert not inbox.is_stopping(1)
    inbox.put(Cancel(1))
    assert inbox.is_stopping(1)
    assert not inbox.is_stopping(2)
    inbox.get()
    assert not inbox.is_stopping(1)
