"""The hub's token: kept in the system's keychain, never in a file or a log; HF_TOKEN in the environment wins."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from app.conversations.off_thread import run_off_thread

SERVICE, ACCOUNT = "Slipstream", "hub token"
VARIABLE = "HF_TOKEN"
NO_KEYCHAIN = f"This system has no keychain, so the token cannot be kept. Set {VARIABLE} in the environment instead."
LOCKED = "The keychain is locked, so the token cannot be read or kept. Unlock it and try again."
FROM_ENVIRONMENT = f"The token in {VARIABLE} is used. It goes before the one in the keychain."
T = TypeVar("T")


class KeychainError(Exception):
    """The keychain did not do what was asked; the text is the sentence for the user."""


@dataclass(frozen=True, slots=True)
class Token:
    """`source` says where it came from: "environment", "keychain" or "" where there is none."""

    text: str = field(default="", repr=False)
    source: str = ""


def token_of_environment() -> Token | None:
    text = os.environ.get(VARIABLE, "").strip()
    return Token(text, "environment") if text else None


async def read_token() -> Token:
    """The token to send; raises KeychainError where there may be one that cannot be read."""
    found = token_of_environment()
    return found if found is not None else await run_off_thread(_read)


async def write_token(text: str) -> None:
    """Keep a token; an empty one removes what is kept."""
    stripped = text.strip()
    await run_off_thread(lambda: _write(stripped) if stripped else _delete())


async def delete_token() -> None:
    """Nothing is done where none is kept."""
    await run_off_thread(_delete)


def _read() -> Token:
    import keyring  # slow: it looks for the system's keychains

    try:
        found = _of_keychain(lambda: keyring.get_password(SERVICE, ACCOUNT))
    except KeychainError as error:
        if str(error) == NO_KEYCHAIN:  # then none was ever kept
            return Token()
        raise
    return Token(found, "keychain") if found else Token()


def _write(text: str) -> None:
    import keyring

    _of_keychain(lambda: keyring.set_password(SERVICE, ACCOUNT, text))


def _delete() -> None:
    import keyring

    if _read().text:
        _of_keychain(lambda: keyring.delete_password(SERVICE, ACCOUNT))


def _of_keychain(work: Callable[[], T]) -> T:
    from keyring.errors import KeyringError, KeyringLocked, NoKeyringError

    try:
        return work()
    except NoKeyringError as error:
        raise KeychainError(NO_KEYCHAIN) from error
    except KeyringLocked as error:
        raise KeychainError(LOCKED) from error
    except KeyringError as error:
        raise KeychainError(f"The keychain refused: {type(error).__name__}. Set {VARIABLE} instead.") from error
