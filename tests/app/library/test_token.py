"""The token: in the keychain and nowhere else."""

from __future__ import annotations

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked

from app.library.token import NO_KEYCHAIN, KeychainError, Token, delete_token, read_token, write_token


class InMemory(KeyringBackend):
    """A system's keychain, as far as the token needs it."""

    priority = 1

    def __init__(self):
        self.kept, self.is_locked = {}, False

    def get_password(self, service, username):
        if self.is_locked:
            raise KeyringLocked("locked")
        return self.kept.get((service, username))

    def set_password(self, service, username, password):
        self.kept[service, username] = password

    def delete_password(self, service, username):
        del self.kept[service, username]


@pytest.fixture
def keychain(monkeypatch):
    monkeypatch.delenv("HF_TOKEN", raising=False)
    before, made = keyring.get_keyring(), InMemory()
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)


@pytest.fixture
def no_keychain(keychain):
    from keyring.backends.fail import Keyring

    keyring.set_keyring(Keyring())


def test_token_is_kept_read_and_removed(run_async, keychain):
    run_async(write_token("  hf_abc \n"))
    assert run_async(read_token()) == Token("hf_abc", "keychain")
    run_async(delete_token())
    assert run_async(read_token()) == Token()
    assert keychain.kept == {}


def test_environment_goes_first_and_is_named(run_async, keychain, monkeypatch):
    run_async(write_token("hf_abc"))
    monkeypatch.setenv("HF_TOKEN", "hf_shell")
    assert run_async(read_token()) == Token("hf_shell", "environment")


def test_system_without_a_keychain_says_so_and_keeps_nothing(run_async, no_keychain):
    assert run_async(read_token()) == Token()
    with pytest.raises(KeychainError, match=NO_KEYCHAIN):
        run_async(write_token("hf_abc"))


def test_locked_keychain_is_told(run_async, keychain):
    keychain.is_locked = True
    with pytest.raises(KeychainError, match="locked"):
        run_async(read_token())


def test_token_is_in_no_text_of_its_record():
    assert "hf_abc" not in repr(Token("hf_abc", "keychain"))
