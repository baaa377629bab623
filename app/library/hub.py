"""Hub: where models come from, whether the network may be used, and the token to send."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from PySide6.QtCore import QObject, Signal

from app.library.token import KeychainError, Token, delete_token, read_token, write_token
from app.settings.preferences import Preferences, Settings
from app.system.machine import PLACE

PUBLIC = "https://huggingface.co"
TRUE = frozenset(("1", "ON", "YES", "TRUE"))  # as huggingface_hub reads its switches
OFFLINE_VARIABLE = "HF_HUB_OFFLINE"
OF_ENVIRONMENT = f"{OFFLINE_VARIABLE} is set, so the network is not used."
OF_PREFERENCE = f"The network is switched off in Settings. Models on {PLACE} work as before."
_LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))


@dataclass(frozen=True, slots=True)
class Access:
    """What a worker needs to reach the hub; `refusal` is why it must not, as a sentence."""

    endpoint: str
    token: str = field(default="", repr=False)
    refusal: str = ""


class Hub(QObject):
    """The environment goes before the preferences, so that a shell's choice holds for this program too."""

    changed = Signal()
    closing = Signal()  # the window goes: what uses the network stops

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.settings = settings
        self._token: Token | None = None  # once it was read
        settings.changed.connect(self._compare)

    @property
    def endpoint(self) -> str:
        """Without a slash at its end."""
        chosen = os.environ.get("HF_ENDPOINT") or self.settings.preferences.library.endpoint
        return chosen.strip().rstrip("/") or PUBLIC

    @property
    def refusal(self) -> str:
        """Why nothing is searched or downloaded, as a sentence; "" where it may be."""
        return self.offline_words or address_fault(self.endpoint)

    @property
    def offline_words(self) -> str:
        """Why the network is not used for anything, as a sentence; "" where it may be."""
        if is_offline_by_environment():
            return OF_ENVIRONMENT
        return OF_PREFERENCE if self.settings.preferences.library.is_offline else ""

    @property
    def is_offline(self) -> bool:
        return bool(self.refusal)

    def page_of(self, repo_id: str) -> str:
        """The address of a model's page."""
        return f"{self.endpoint}/{repo_id}"

    def close(self) -> None:
        """End searches and downloads; before the window waits for what it started."""
        self.closing.emit()

    async def access(self) -> Access:
        """A keychain that cannot be read leaves the token out, this time: public models need none."""
        token = self._token
        if token is None:
            try:
                token = self._token = await read_token()
            except KeychainError:
                token = Token()
        sent = token.text if is_safe_for_token(self.endpoint) else ""
        return Access(self.endpoint, sent, self.refusal)

    async def token_source(self) -> str:
        """ "environment", "keychain" or ""; raises KeychainError."""
        self._token = await read_token()
        return self._token.source

    async def set_token(self, text: str) -> None:
        """Keep it in the keychain, or remove what is there for ""; raises KeychainError."""
        await (write_token(text) if text.strip() else delete_token())
        self._token = None
        self.changed.emit()

    def _compare(self, before: Preferences, after: Preferences) -> None:
        if before.library != after.library:
            self.changed.emit()


def is_offline_by_environment() -> bool:
    return os.environ.get(OFFLINE_VARIABLE, "").upper() in TRUE


def address_fault(endpoint: str) -> str:
    """What is wrong with the hub's address, as a sentence; "" for nothing."""
    scheme, host = _parts(endpoint)
    if scheme in ("http", "https") and host:
        return ""
    return f"The hub's address is {endpoint!r}; it must begin with https:// and name a host. Change it in Settings."


def is_safe_for_token(endpoint: str) -> bool:
    """Whether nobody between here and the hub could read it."""
    scheme, host = _parts(endpoint)
    return scheme == "https" or host in _LOOPBACK


def _parts(endpoint: str) -> tuple[str, str]:
    """Scheme and host, "" where there is none: of [::1 too, which begins an address of the sixth version."""
    try:
        parts = urlsplit(endpoint)
    except ValueError:
        return "", ""
    return parts.scheme, parts.hostname or ""


def cache_folder() -> Path:
    """The folder that programs share for models of the hub, by the rules of huggingface_hub's constants."""
    home = os.environ.get("HF_HOME")
    if not home:
        home = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.join("~", ".cache"), "huggingface")
    chosen = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE") or os.path.join(home, "hub")
    return Path(os.path.expandvars(os.path.expanduser(chosen)))
