"""What workers do with huggingface_hub: headers, sessions, and its errors as problems.

The package is imported inside: it takes a quarter of a second, and only who searches or downloads needs it. Its
session is used with time limits of our own: `HfApi.list_models` sets none and repeats for half a minute.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from app.library.hub import Access
from app.library.problems import NO_NETWORK, HubError, Kind, of_status
from app.library.repository import RepoFile, Repository

if TYPE_CHECKING:
    import httpx2
    from huggingface_hub import ModelInfo

SECONDS = 10.0  # that a connection may take, and each piece that is read
AGENT, AGENT_VERSION = "slipstream", "0.1"


def headers_for(access: Access) -> dict[str, str]:
    """Only the token that Settings know is sent, never one that another program left on this machine."""
    from huggingface_hub import constants
    from huggingface_hub.utils import build_hf_headers

    constants.HF_HUB_DISABLE_TELEMETRY = True  # else the library asks the hub for a list of its own first
    return build_hf_headers(token=access.token or False, library_name=AGENT, library_version=AGENT_VERSION)


def get(access: Access, url: str, params: dict[str, Any] | None = None) -> httpx2.Response:
    """One answer of the hub; raises HubError."""
    from huggingface_hub.utils import get_session, hf_raise_for_status

    with told_as_problems(access):
        headers = headers_for(access)
        response = get_session().get(url, params=params, headers=headers, timeout=SECONDS)
        hf_raise_for_status(response)
        return response


@contextmanager
def told_as_problems(access: Access) -> Iterator[None]:
    """Raise what the library raises as HubError; nothing is sent where the network must not be used."""
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    if access.refusal:
        raise HubError(Kind.OFFLINE, access.refusal)
    try:
        yield
    except OfflineModeIsEnabled as error:
        raise HubError(Kind.OFFLINE, NO_NETWORK.text) from error
    except HfHubHTTPError as error:
        headers = error.response.headers
        wait = headers.get("Retry-After", "")
        code = headers.get("X-Error-Code", "")
        problem = of_status(error.response.status_code, code, int(wait) if wait.isdigit() else None)
        raise HubError(problem.kind, problem.text) from error
    except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
        raise HubError(NO_NETWORK.kind, NO_NETWORK.text) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:  # an answer that is no JSON or another one
        raise HubError(
            Kind.SERVER, "The hub's answer makes no sense. Look at the hub's address in Settings."
        ) from error


def read_repository(access: Access, repo_id: str, revision: str = "main") -> Repository:
    """The files of a repository with their sizes and checksums, at one commit; raises HubError."""
    from huggingface_hub import HfApi

    with told_as_problems(access):
        headers_for(access)
        api = HfApi(access.endpoint, token=access.token or False, library_name=AGENT, library_version=AGENT_VERSION)
        info = api.model_info(repo_id, revision=revision, timeout=SECONDS, files_metadata=True)
        files = tuple(_file(one) for one in info.siblings or ())
        return Repository(info.id, info.sha or revision, files, licence_of(info), bool(info.gated))


def licence_of(info: ModelInfo) -> str:
    """As the model's card names it, such as "apache-2.0"; "" where it does not."""
    named = [tag.removeprefix("license:") for tag in info.tags or () if tag.startswith("license:")]
    card = info.card_data
    return str((card.get("license_name") or card.get("license") if card else "") or (named[0] if named else ""))


def _file(sibling: Any) -> RepoFile:
    if sibling.lfs is not None:
        return RepoFile(sibling.rfilename, sibling.lfs.size, sibling.lfs.sha256, is_large=True)
    return RepoFile(sibling.rfilename, sibling.size or 0, sibling.blob_id or "")
