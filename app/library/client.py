"""What workers do with huggingface_hub: headers, sessions, and its errors as problems.

The package is imported inside: it takes a quarter of a second, and only who searches or downloads needs it. Its
session is used with time limits of our own: `HfApi.list_models` sets none and repeats for half a minute.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from app.library.hub import Access
from app.library.problems import NO_NETWORK, HubError, Kind, of_status
from app.library.repository import RepoFile, Repository

if TYPE_CHECKING:
    import httpx2
    from huggingface_hub import ModelInfo

SECONDS = 10.0  # that a connection may take, and each piece that is read
MOST_BYTES = 50_000_000  # of an answer, not of a file: 100,000 files of a repository take about half of it
AGENT, AGENT_VERSION = "slipstream", "0.1"
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SENDABLE = re.compile(r"[!-~]*")
_WAIT = re.compile(r"[0-9]{1,6}")
# Of an answer that is no JSON, or another one than was asked for.
_SENSELESS = (ValueError, KeyError, TypeError, AttributeError, RecursionError)


@dataclass(frozen=True, slots=True)
class Answer:
    value: Any  # of its JSON
    next_url: str = ""  # of the page behind it, as the answer has it


def headers_for(access: Access) -> dict[str, str]:
    """Only the token that Settings know is sent, never one that another program left on this machine.

    Raises HubError for one that no request can carry.
    """
    from huggingface_hub import constants
    from huggingface_hub.utils import build_hf_headers

    constants.HF_HUB_DISABLE_TELEMETRY = True  # else the library asks the hub for a list of its own first
    if not _SENDABLE.fullmatch(access.token):
        raise HubError(Kind.REFUSED, "The token has a space or a letter that no token has. Enter it anew in Settings.")
    return build_hf_headers(token=access.token or False, library_name=AGENT, library_version=AGENT_VERSION)


def get(access: Access, url: str, params: dict[str, Any] | None = None) -> Answer:
    """One answer of the hub; raises HubError."""
    from huggingface_hub.utils import get_session

    with told_as_problems(access):
        headers = headers_for(access)
        with get_session().stream("GET", url, params=params, headers=headers, timeout=SECONDS) as response:
            check_status(response)
            body = bytearray()
            for piece in response.iter_bytes():
                body += piece
                if len(body) > MOST_BYTES:
                    raise ValueError(f"the answer is longer than {MOST_BYTES} bytes")
            return Answer(json.loads(body), response.links.get("next", {}).get("url", ""))


def check_status(response: httpx2.Response) -> None:
    """Raise HubError where it is no answer to what was asked, by its headers alone: its body may never end."""
    if response.is_success:
        return
    wait = response.headers.get("Retry-After", "")
    code = response.headers.get("X-Error-Code", "")
    problem = of_status(response.status_code, code, int(wait) if _WAIT.fullmatch(wait) else None)
    raise HubError(problem.kind, problem.text)


@contextmanager
def told_as_problems(access: Access) -> Iterator[None]:
    """Raise what the library raises as HubError; nothing is sent where the network must not be used."""
    import httpx2
    from huggingface_hub.errors import OfflineModeIsEnabled

    if access.refusal:
        raise HubError(Kind.OFFLINE, access.refusal)
    try:
        yield
    except OfflineModeIsEnabled as error:
        raise HubError(Kind.OFFLINE, NO_NETWORK.text) from error
    except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
        raise HubError(NO_NETWORK.kind, NO_NETWORK.text) from error
    except _SENSELESS as error:
        raise HubError(
            Kind.SERVER, "The hub's answer makes no sense. Look at the hub's address in Settings."
        ) from error


def read_repository(access: Access, repo_id: str, revision: str = "main") -> Repository:
    """The files of a repository with their sizes and checksums, at one commit; raises HubError."""
    from huggingface_hub import ModelInfo

    with told_as_problems(access):
        if not is_repository(repo_id):
            raise ValueError(f"{repo_id!r} is no name of a repository")
        url = f"{access.endpoint}/api/models/{repo_id}/revision/{quote(revision, safe='')}"
        info = ModelInfo(**get(access, url, {"blobs": True}).value)
        if not is_repository(info.id) or not _COMMIT.fullmatch(info.sha or ""):
            raise ValueError(f"{info.id!r} at {info.sha!r} is no repository")  # a commit becomes the name of a folder
        files = tuple(_file(one) for one in info.siblings or ())
        return Repository(info.id, str(info.sha), files, licence_of(info), bool(info.gated))


def is_repository(name: str | None) -> bool:
    """Whether a repository of the hub can have such a name."""
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id

    try:
        validate_repo_id(name or "")
    except HFValidationError:
        return False
    return True


def licence_of(info: ModelInfo) -> str:
    """As the model's card names it, such as "apache-2.0"; "" where it does not."""
    named = [tag.removeprefix("license:") for tag in info.tags or () if tag.startswith("license:")]
    card = info.card_data
    return str((card.get("license_name") or card.get("license") if card else "") or (named[0] if named else ""))


def _file(sibling: Any) -> RepoFile:
    """Raises ValueError for one whose path, size or checksum is none."""
    large = sibling.lfs
    size, etag = (sibling.size, sibling.blob_id or "") if large is None else (large.size, large.sha256)
    if type(size) is not int or size < 0 or not isinstance(sibling.rfilename, str) or not isinstance(etag, str):
        raise ValueError(f"{sibling!r} is no file of a repository")
    return RepoFile(sibling.rfilename, size, etag, is_large=large is not None)
