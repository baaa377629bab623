import pytest

from app.conversations.titles import title_from


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Hello", "Hello"),
        ("\n\n  Why is\tthis so?\nMore", "Why is this so?"),
        ("word " * 20, f"{'word ' * 11}word…"),
        ("x" * 100, f"{'x' * 59}…"),
        ("   ", ""),
        ("\0\0\nHello\0 \x1b[1mthere\ud83d", "Hello [1mthere"),
        ("\0", ""),
    ],
)
def test_title_is_the_first_line_cut_at_a_word(text, title):
    assert title_from(text) == title
    assert len(title) <= 60
