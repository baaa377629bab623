"""Sizes of the transcript, in device-independent pixels."""

COLUMN = 720  # until a user chooses otherwise
MARGIN = 12  # at both sides of the column, for the composer's edge to fall on
SIDE = 20  # beside the column in a narrow window
TOP, BOTTOM = 4, 20  # above the first message and under the last
USER_GAP, REPLY_GAP = 26, 0  # above a message; a reply stands under the row of the user's message
ROW_GAP, ROW = 4, 28  # the row of strip and actions under a message
LINE = 22  # reasons and states
REASON_INDENT = 22  # behind the symbol
NOTE_GAP = 10
DETAILS_GAP = 4
EMPTY_REPLY = 24  # a running reply without text: the caret's line
NEAR = 400  # laid out above and under the view
FAR = 4000  # kept laid out
INCLUDE_WIDTH = 72  # of the button that takes back what was left out
STOP_WIDTH = 56  # of the button that ends a check
MORE_WIDTH = 112  # of the one that opens the notes of a reply that are folded away
ACTIONS_WIDTH = 4 * ROW + 8  # kept free beside a strip
BRANCHES_WIDTH = 2 * ROW + 64


class Column:
    """How wide the text of a chat may be, as the user chose it."""

    most = COLUMN


def column_within(width: int) -> int:
    """Of a transcript this wide."""
    return max(200, min(Column.most, width - 2 * SIDE))
