"""The latest release: where it is asked for, what the answer says, and whether it is newer than this program.

Address: a forge's "latest release" in the form that GitHub's REST API has, named by [project.urls] of pyproject.toml,
from where it goes into the metadata of what is installed or bundled.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata
from typing import Any
from urllib.parse import urlsplit

from app.library.hub import is_safe_for_token
from app.system.machine import PACKAGE

LABEL = "Releases"  # of the address in the metadata
VARIABLE = "SLIPSTREAM_RELEASES"  # goes before it
SECONDS = 10.0  # that a connection may take, and each piece that is read
MOST_BYTES = 1_000_000  # of an answer
AGENT = "slipstream"
_LIMITED = (403, 429)


class UpdateError(Exception):
    """The latest release is not known; the text is the reason, as a sentence."""


@dataclass(frozen=True, slots=True)
class Release:
    version: str = ""  # such as "0.2.0"
    page: str = ""  # its address


def releases_address() -> str:
    """Where is asked; "" where this program was not told."""
    if named := os.environ.get(VARIABLE, "").strip():
        return named
    try:
        addresses = metadata(PACKAGE).get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    pairs = (address.partition(",") for address in addresses)
    return next((address.strip() for label, _, address in pairs if label.strip() == LABEL), "")


def host_of(address: str) -> str:
    """Whom it names; "" for what is no address."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def is_newer(release: str, current: str) -> bool:
    """False where one of them is no version."""
    from packaging.version import InvalidVersion, Version

    try:
        return Version(release) > Version(current)
    except InvalidVersion:
        return False


def ask_for_release(address: str) -> Release:
    """Ask the network, with nothing that tells who asks; raises UpdateError."""
    import httpx2
    from huggingface_hub.errors import OfflineModeIsEnabled
    from huggingface_hub.utils import get_session

    host = host_of(address)
    headers = {"Accept": "application/vnd.github+json", "User-Agent": AGENT}
    try:
        with get_session().stream("GET", address, headers=headers, timeout=SECONDS) as response:
            _check_status(response.status_code, host)
            body = bytearray()
            for piece in response.iter_bytes():
                body += piece
                if len(body) > MOST_BYTES:
                    raise ValueError(f"the answer is longer than {MOST_BYTES} bytes")
        return read_release(json.loads(body), host)
    except OfflineModeIsEnabled as error:
        raise UpdateError("The network is not used.") from error
    except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
        raise UpdateError(f"{host or address} could not be reached.") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UpdateError(f"The answer of {host} makes no sense.") from error


def read_release(answer: Any, host: str) -> Release:
    """Of GitHub's answer; its page is that of the same forge. Raises ValueError, KeyError or TypeError."""
    from packaging.version import Version

    version = str(Version(answer["tag_name"]))  # which takes a "v" before it
    page = answer["html_url"]
    if host_of(page) not in (host, host.removeprefix("api.")) or not is_safe_for_token(page):
        raise ValueError(f"{page!r} is no page of {host}")
    return Release(version, page)


def _check_status(status: int, host: str) -> None:
    if status == 404:
        raise UpdateError(f"{host} has no release yet.")
    if status in _LIMITED:
        raise UpdateError(f"{host} was asked too often from here. Ask again in an hour.")
    if not 200 <= status < 300:
        raise UpdateError(f"{host} has a fault of its own ({status}). Ask again later.")
