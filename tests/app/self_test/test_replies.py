"""What the self-test takes for the same reply."""

from __future__ import annotations

import pytest

from app.self_test.replies import LETTERS, CheckError, Reply, compare, makes_sense
from engine.messages import Statistics, TokenLogprob


def plain(*scores: tuple[float, float]) -> Reply:
    """One token a pair of scores, each the better of its two: 10, 20, …; the other is one higher."""
    ids = [10 * place for place in range(1, len(scores) + 1)]
    logprobs = [
        TokenLogprob(token, best, ((token, best), (token + 1, second)))
        for token, (best, second) in zip(ids, scores, strict=True)
    ]
    return Reply("ab", ids, logprobs)


def drafted(*ids: int, notices: tuple[str, ...] = ()) -> Reply:
    return Reply("ab", list(ids), notices=list(notices), statistics=Statistics(num_proposed=7, num_accepted=3))


def test_the_same_tokens_are_told_with_what_was_accepted() -> None:
    words = compare(plain((-0.1, -3.0), (-0.1, -3.0)), drafted(10, 20))
    assert words == "the same 2 tokens, 3 of 7 proposed ones accepted"


def test_a_near_tie_may_fall_the_other_way() -> None:
    words = compare(plain((-0.1, -3.0), (-0.69, -0.7)), drafted(10, 21, 5))
    assert words.startswith("the same text up to a near tie at token 2")


@pytest.mark.parametrize("ids", [(11, 20), (10, 22), (10,), (10, 20, 30)])
def test_another_token_or_length_fails(ids: tuple[int, ...]) -> None:
    with pytest.raises(CheckError):
        compare(plain((-0.1, -3.0), (-0.69, -0.7)), drafted(*ids))


def test_a_drafter_that_was_switched_off_fails_with_its_reason() -> None:
    with pytest.raises(CheckError, match="No room"):
        compare(plain((-0.1, -3.0)), drafted(10, notices=("No room.",)))


def test_a_reply_has_to_be_the_line_that_was_asked_for() -> None:
    assert makes_sense(f"Here it is: {LETTERS}.")
    assert not makes_sense("A B C D E F G H I J K L M N O P Q R S T")
