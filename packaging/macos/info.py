"""What macOS is told of the application: the values of Info.plist."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]
NAME = "Slipstream"
BUNDLE_IDENTIFIER = "io.github.slipstream-chat.Slipstream"  # for good: macOS keeps permissions and settings under it
MINIMUM_MACOS = (14, 0)  # of MLX's wheels
ARCHITECTURE = "arm64"
ICON = f"{NAME}.icns"
CONVERSATIONS_TYPE = f"{BUNDLE_IDENTIFIER}.conversations"
CONVERSATIONS_ENDING = "slipstream-chat"

# macOS shows these when the program first reads there: models and attachments may lie in such places
_ASKED_PLACES = ("DesktopFolder", "DocumentsFolder", "DownloadsFolder", "NetworkVolumes", "RemovableVolumes")
_REASON = "Slipstream reads the models and the files that you chose in this place."


def project_version() -> str:
    """The version in pyproject.toml, such as "0.1.0"."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])


def info_plist(version: str) -> dict[str, Any]:
    """All that does not come from the files of the bundle; `version` as Python writes it."""
    numbers = plain_version(version)
    return {
        "CFBundleName": NAME,
        "CFBundleDisplayName": NAME,
        "CFBundleExecutable": NAME,
        "CFBundleIconFile": ICON,
        "CFBundleIdentifier": BUNDLE_IDENTIFIER,
        "CFBundlePackageType": "APPL",
        "CFBundleInfoDictionaryVersion": "6.0",
        "CFBundleDevelopmentRegion": "en",
        "CFBundleShortVersionString": numbers,
        "CFBundleVersion": numbers,
        "CFBundleSupportedPlatforms": ["MacOSX"],
        "CFBundleDocumentTypes": document_types(),
        "UTExportedTypeDeclarations": [conversations_type()],
        "LSApplicationCategoryType": "public.app-category.productivity",
        "LSMinimumSystemVersion": ".".join(map(str, MINIMUM_MACOS)),
        "LSArchitecturePriority": [ARCHITECTURE],
        "LSRequiresNativeExecution": True,
        "NSHighResolutionCapable": True,
        "NSPrincipalClass": "NSApplication",
        "NSHumanReadableCopyright": "Slipstream contributors, MIT licence",
        **{f"NS{place}UsageDescription": _REASON for place in _ASKED_PLACES},
    }


def plain_version(version: str) -> str:
    """The numbers alone, at most three: macOS takes no "rc1"."""
    found = re.match(r"\d+(\.\d+){0,2}", version)
    if found is None:
        raise ValueError(f"version {version!r} begins with no number; macOS needs one such as 0.1.0")
    return found.group()


def document_types() -> list[dict[str, Any]]:
    """A folder and plain JSON are offered under Open With and keep their programs; our own files open here."""
    return [
        document_type("Model folder", "public.folder", rank="Alternate"),
        document_type("Slipstream conversations", CONVERSATIONS_TYPE, rank="Owner"),
        document_type("Conversations as JSON", "public.json", rank="Alternate"),
    ]


def document_type(name: str, content_type: str, *, rank: str) -> dict[str, Any]:
    return {
        "CFBundleTypeName": name,
        "CFBundleTypeRole": "Viewer",
        "LSHandlerRank": rank,
        "LSItemContentTypes": [content_type],
    }


def conversations_type() -> dict[str, Any]:
    return {
        "UTTypeIdentifier": CONVERSATIONS_TYPE,
        "UTTypeDescription": "Slipstream conversations",
        "UTTypeConformsTo": ["public.json"],
        "UTTypeIconFile": ICON,
        "UTTypeTagSpecification": {"public.filename-extension": [CONVERSATIONS_ENDING]},
    }
