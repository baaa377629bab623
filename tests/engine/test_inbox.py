"""The inbox: order kept, and a Cancel known before its turn comes."""

from __future__ import annotations

from engine.inbox import Delivery, Inbox
from engine.messages import Cancel, Shutdown, StartEngine
from engine.prompt_cache.entries import Removed


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


def test_what_is_left_after_sifting_comes_first_and_in_order():
    inbox = Inbox()
    for message in (StartEngine(), Removed(1), Cancel(1)):
        inbox.put(message)
    inbox.sift(lambda message: not isinstance(message, Removed))
    inbox.put(Shutdown())
    assert [inbox.get()[1] for _ in range(3)] == [StartEngine(), Cancel(1), Shutdown()]
    assert inbox.is_empty()


def test_storage_of_an_engine_that_is_gone_delivers_nothing():
    inbox = Inbox()
    delivery = Delivery(inbox)
    delivery(Removed(1))
    delivery.is_open = False
    delivery(Removed(2))
    assert inbox.get()[1] == Removed(1)
    assert inbox.is_empty()
