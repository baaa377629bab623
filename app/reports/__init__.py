"""Logs and reports of what the program did, without any text of chats."""

from app.reports.reports import Reports, begin
from app.reports.showing import show_report

__all__ = ["Reports", "begin", "show_report"]
