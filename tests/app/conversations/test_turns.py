from app.conversations.records import Attachment, Message
from app.conversations.turns import messages_of_turns, turns_of, without_oldest


def path(*roles_and_texts):
    return [Message(str(place), "c", None, role, text) for place, (role, text) in enumerate(roles_and_texts)]


CHAT = path(("system", "Be brief."), ("user", "a"), ("assistant", ""), ("user", "b"), ("assistant", "c"), ("user", "d"))


def test_system_turn_stays_where_the_oldest_messages_are_left_out():
    assert [turn.text for turn in turns_of(without_oldest(CHAT, 2))] == ["Be brief.", "b", "c", "d"]
    assert [turn.text for turn in turns_of(without_oldest(CHAT, 99))] == ["Be brief."]


def test_replies_without_a_turn_go_along_with_the_turns_before_them():
    assert [messages_of_turns(CHAT, num_turns) for num_turns in range(5)] == [0, 2, 3, 4, 5]


def test_files_are_quoted_before_the_text_under_their_names():
    files = (Attachment("a.txt", "one\ntwo\n"), Attachment("b.py", "x"))
    (turn,) = turns_of([Message("m", "c", None, "user", "Which?", attachments=files)])
    assert turn.text == "a.txt:\n```\none\ntwo\n```\n\nb.py:\n```\nx\n```\n\nWhich?"


def test_files_alone_are_a_message():
    (turn,) = turns_of([Message("m", "c", None, "user", "", attachments=(Attachment("a.txt", "one"),))])
    assert turn.text == "a.txt:\n```\none\n```"


def test_a_reply_goes_on_behind_what_its_prompt_wrote_of_it():
    (turn,) = turns_of([Message("m", "c", None, "assistant", "Hm.", opening="<think>")])
    assert (turn.text, turn.opening) == ("Hm.", "<think>")
