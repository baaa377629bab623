from dataclasses import replace

from app.conversations.live_reply import LiveReply
from app.conversations.records import Message, ReplyState
from engine.messages import Began, Delta, Finished, ReasoningTags, Statistics
from tests.app.fake_engine import facts_of

RUNNING = Message("r", "c", "u", "assistant", "", state=ReplyState.RUNNING)


def delta(text, start=0, end=0, num_tokens=1):
    return Delta(1, text, tuple(range(num_tokens)), 0, Statistics(), accepted_start=start, accepted_end=end)


def reply_of(*events, message=RUNNING, facts=None):
    live = LiveReply(1, message)
    if facts is not None:
        live.use_facts(facts)
    for event in events:
        live.receive(event)
    return live.message()


def test_spans_of_accepted_text_are_of_the_whole_reply_and_join_where_they_touch():
    reply = reply_of(delta("one ", 0, 4), delta("two ", 0, 2), delta("three", 1, 3))
    assert reply.drafted == ((0, 6), (9, 11))


def test_continued_reply_keeps_the_spans_and_the_opening_it_had():
    before = replace(RUNNING, text="one ", drafted=((0, 4),), opening="<think>")
    reply = reply_of(Began(1, "<other>"), delta("two", 0, 3), message=before)
    assert (reply.drafted, reply.opening) == (((0, 7),), "<think>")


def test_reasoning_is_counted_to_its_end():
    texts = ("<think>", "Hm", ", well", ".</think>", "\n", "Yes", " > no")
    reply = reply_of(*(delta(text, num_tokens=2) for text in texts), Finished(1, "stop"))
    assert reply.num_thought == 6
    assert reply.thought_seconds > 0


def test_reasoning_that_the_prompt_began_is_counted_from_there():
    reply = reply_of(Began(1, "<think>\n"), delta("Hm"), delta("</think>"), delta("Yes"))
    assert (reply.opening, reply.num_thought) == ("<think>\n", 2)


def test_tags_that_the_tokenizer_names_count_too():
    facts = replace(facts_of("m"), reasoning=(ReasoningTags("«", "»"),))
    assert reply_of(*map(delta, "«ab»cd"), facts=facts).num_thought == 3


def test_answer_without_reasoning_counts_none():
    reply = reply_of(*map(delta, ("Use ", "<think>", "like", "</think>")))
    assert (reply.num_thought, reply.thought_seconds) == (0, 0.0)
