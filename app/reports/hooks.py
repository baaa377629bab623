"""Hears of every exception and warning that nobody took, and logs it."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from types import TracebackType
from typing import Any

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

from app.reports.safe_words import without_quotes

logger = logging.getLogger(__name__)
QT_LEVELS = {
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


class Hooks:
    """In force until `close`, which puts back what was there."""

    def __init__(self) -> None:
        self._before = (sys.excepthook, threading.excepthook, sys.unraisablehook)
        sys.excepthook = self._take
        threading.excepthook = lambda found: self._take(found.exc_type, found.exc_value, found.exc_traceback)
        sys.unraisablehook = lambda found: self._take(found.exc_type, found.exc_value, found.exc_traceback)
        self._qt_before = qInstallMessageHandler(self._take_qt)

    def attend(self, loop: asyncio.AbstractEventLoop) -> None:
        """Hear of the tasks and callbacks of a loop too."""
        loop.set_exception_handler(lambda _, context: self._take_context(context))

    def close(self) -> None:
        sys.excepthook, threading.excepthook, sys.unraisablehook = self._before
        qInstallMessageHandler(self._qt_before)

    def _take(self, kind: type[BaseException], error: BaseException | None, traceback: TracebackType | None) -> None:
        if issubclass(kind, SystemExit):
            return
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error or kind(), traceback)
            return
        known = (error if error is not None else kind()).with_traceback(traceback)
        logger.error("an exception that nobody took", exc_info=known)

    def _take_context(self, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, BaseException):
            logger.error("an exception of the window's loop that nobody took", exc_info=error)
        else:
            logger.warning("the window's loop has met something wrong: %s", context.get("message", ""))

    def _take_qt(self, kind: QtMsgType, context: QMessageLogContext, words: str) -> None:
        """Qt's own handler, which writes on the terminal, is not in force meanwhile."""
        if (level := QT_LEVELS.get(kind)) is not None:
            logger.log(level, "Qt: %s", without_quotes(words))
        elif sys.__stderr__ is not None:
            sys.__stderr__.write(f"{words}\n")
