"""Theme: the tokens in use, kept equal to the system's light or dark."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QWidget

from app.theme.fonts import SIZES, TextSize, font, set_text_size
from app.theme.palette import build_palette, build_sheet
from app.theme.tokens import DARK, LIGHT, Tokens

_SCHEMES = {"system": Qt.ColorScheme.Unknown, "light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}


class Theme(QObject):
    tokens_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.tokens = LIGHT
        self._scheme = "system"
        self._is_applied = False

    def colour(self, token: str) -> QColor:
        return QColor(getattr(self.tokens, token))

    def apply(self, tokens: Tokens) -> None:
        """Set palette and sheet on the application, once for all widgets."""
        self.tokens = tokens
        self._is_applied = True
        _style(tokens)
        self.tokens_changed.emit()

    def set_text_size(self, percent: int) -> None:
        """Make every font of the application larger or smaller, those of widgets that are there included."""
        if percent == TextSize.percent:
            return
        names = {font(name).toString(): name for name in SIZES}
        widgets = (one for one in QApplication.allWidgets() if one.testAttribute(Qt.WidgetAttribute.WA_SetFont))
        uses = [(widget, name) for widget in widgets if (name := names.get(widget.font().toString()))]
        set_text_size(percent)
        _style(self.tokens)
        for widget, name in uses:
            widget.ensurePolished()  # or the sheet would put back the font that it had, when it is shown
            widget.setFont(font(name))
        self.tokens_changed.emit()

    def choose_scheme(self, scheme: str) -> None:
        """Keep to "light" or "dark", or with "system" to what the system has; its menus and frames follow."""
        if scheme == self._scheme:
            return
        self._scheme = scheme
        hints = QApplication.styleHints()
        hints.setColorScheme(_SCHEMES[scheme])
        self._take_scheme(hints.colorScheme())

    def follow_system(self) -> None:
        hints = QApplication.styleHints()
        self._take_scheme(hints.colorScheme())
        hints.colorSchemeChanged.connect(self._take_scheme)

    def _take_scheme(self, scheme: Qt.ColorScheme) -> None:
        chosen = {"light": LIGHT, "dark": DARK}.get(self._scheme)
        tokens = chosen or (DARK if scheme == Qt.ColorScheme.Dark else LIGHT)
        if tokens is not self.tokens or not self._is_applied:
            self.apply(tokens)


def _style(tokens: Tokens) -> None:
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    application.setFont(font("interface"))
    application.setPalette(build_palette(tokens))
    if application.styleSheet() == build_sheet():
        _style_again(application)
    else:
        application.setStyleSheet(build_sheet())


def _style_again(application: QApplication) -> None:
    """Have the sheet read palette and font anew for each widget that it styled, hidden ones too.

    Source: QStyleSheetStyle::polish in Qt, which forgets what it knew of a widget.
    """
    roots = (one for one in application.topLevelWidgets() if one.parentWidget() is None)
    widgets = (one for root in roots for one in (root, *root.findChildren(QWidget)))  # a child takes its parent's font
    styled = [one for one in widgets if one.testAttribute(Qt.WidgetAttribute.WA_WState_Polished)]
    style = application.style()
    for widget in styled:
        style.polish(widget)
    for widget in styled:  # when all have it, as some measure others: lists their rows, boxes their words
        application.sendEvent(widget, QEvent(QEvent.Type.StyleChange))
