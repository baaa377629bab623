"""Runs Apple's tools: says each call with what is secret left out, and what to do where one is missing or fails."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable, Sequence

Say = Callable[[str], None]


class ReleaseError(Exception):
    """A step could not be done; the sentence says why and what to do."""


class Commands:
    def __init__(self, say: Say, secrets: Sequence[str] = ()) -> None:
        self.say = say
        self._secrets = [secret for secret in secrets if secret]

    def run(self, *command: str, may_fail: bool = False) -> str:
        """Returns what the tool wrote; raises ReleaseError where it is missing, or fails and may not."""
        self.say(f"$ {shlex.join(map(self.hidden, command))}")
        try:
            ended = subprocess.run(
                command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False
            )
        except FileNotFoundError:
            raise ReleaseError(
                f"{command[0]} was not found: this step needs macOS with Xcode's command line tools; "
                "install them with: xcode-select --install"
            ) from None
        written = self.hidden(ended.stdout.decode(errors="replace").strip())
        if ended.returncode and not may_fail:
            raise ReleaseError(f"{command[0]} ended with status {ended.returncode}:\n{written}")
        return written

    def hidden(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "HIDDEN")
        return text
