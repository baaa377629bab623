"""The file that has the system open the program when its user logs in: a launch agent, or an autostart entry."""

from __future__ import annotations

import os
import plistlib
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from app.system.frozen import bundle_folder

LABEL = "slipstream.login"


def login_path(platform: str = sys.platform) -> Path:
    if platform == "darwin":
        return Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    config = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(config) / "autostart" / "slipstream.desktop"


def write_login_file(path: Path, command: Sequence[str], folder: str = "", platform: str = sys.platform) -> None:
    """`folder` is the data folder where SLIPSTREAM_DATA names it. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_bytes(_agent(command, folder) if platform == "darwin" else _entry(command, folder))
    fresh.replace(path)


def remove_login_file(path: Path) -> None:
    """Raises OSError."""
    path.unlink(missing_ok=True)


def start_command() -> list[str]:
    """What opens this program again: its bundle, its own command, or its Python."""
    bundle = next((one for one in Path(sys.executable).parents if one.suffix == ".app"), None)
    if sys.platform == "darwin" and bundle is not None and "slipstream" in bundle.name.lower():
        return ["/usr/bin/open", str(bundle)]
    if bundle_folder() is not None:
        return [sys.executable]
    own = shutil.which("slipstream", path=str(Path(sys.executable).parent))
    return [own] if own else [sys.executable, "-m", "app.launch"]


def _agent(command: Sequence[str], folder: str) -> bytes:
    """Source: launchd.plist(5)."""
    agent: dict[str, object] = {
        "Label": LABEL,
        "ProgramArguments": list(command),
        "RunAtLoad": True,
        "LimitLoadToSessionType": "Aqua",
        "ProcessType": "Interactive",
    }
    if folder:
        agent["EnvironmentVariables"] = {"SLIPSTREAM_DATA": folder}
    return plistlib.dumps(agent)


def _entry(command: Sequence[str], folder: str) -> bytes:
    """Source: freedesktop.org, Desktop Entry Specification 1.5, "The Exec key"."""
    words = [*(["env", f"SLIPSTREAM_DATA={folder}"] if folder else []), *command]
    lines = ("[Desktop Entry]", "Type=Application", "Name=Slipstream", f"Exec={' '.join(map(_quoted, words))}")
    return "\n".join((*lines, "Terminal=false", "")).encode()


def _quoted(word: str) -> str:
    escaped = "".join(f"\\{one}" if one in '"`$\\' else one for one in word).replace("%", "%%")
    return f'"{escaped}"'.replace("\\", "\\\\") if escaped != word or " " in word else word
