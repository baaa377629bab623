"""The transcript: a scrolling area of our own, whose blocks are laid out near the view only."""

from app.chat.transcript.frames import FRAME_MS, frame_milliseconds
from app.chat.transcript.measures import COLUMN, MARGIN, SIDE, Column, column_within
from app.chat.transcript.transcript import Transcript

__all__ = ["COLUMN", "FRAME_MS", "MARGIN", "SIDE", "Column", "Transcript", "column_within", "frame_milliseconds"]
