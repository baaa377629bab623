"""What makes a folder an application on Linux: an AppDir, whose desktop entry can be put into the system's menu.

Source: AppImage's specification of AppDirs; freedesktop.org, Desktop Entry, Icon Theme and Shared MIME-info.
"""

from __future__ import annotations

import shutil
import stat
import tarfile
from pathlib import Path

from bundle.contents import NAME
from bundle.icons import PNG_SIZES, SOURCE

ID = "slipstream"  # of its windows too: QGuiApplication.setDesktopFileName
MIME_TYPE = "application/x-slipstream-chat"
ENTRY = f"""[Desktop Entry]
Type=Application
Name={NAME}
GenericName=Chat
Comment=Chat with language models that run on this computer
Exec={NAME} %F
Icon={ID}
Terminal=false
StartupNotify=true
StartupWMClass={ID}
Categories=Utility;Qt;
MimeType={MIME_TYPE};
"""
MIME_INFO = f"""<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="{MIME_TYPE}">
    <comment>Slipstream conversations</comment>
    <sub-class-of type="application/json"/>
    <glob pattern="*.slipstream-chat"/>
  </mime-type>
</mime-info>
"""
MENU_SCRIPT = Path(__file__).parent / "add-to-menu.sh"


def dress(folder: Path, made: Path) -> None:
    """Put beside the program what a desktop looks for; `made` holds icons/SIZE.png."""
    share = folder / "share"
    _write(share / "applications" / f"{ID}.desktop", ENTRY)
    _write(share / "mime" / "packages" / f"{ID}.xml", MIME_INFO)
    for size in PNG_SIZES:
        _copy(made / "icons" / f"{size}.png", share / "icons" / "hicolor" / f"{size}x{size}" / "apps" / f"{ID}.png")
    _copy(SOURCE, share / "icons" / "hicolor" / "scalable" / "apps" / f"{ID}.svg")
    _copy(MENU_SCRIPT, folder / MENU_SCRIPT.name)
    links = {
        "AppRun": NAME,
        f"{ID}.desktop": f"share/applications/{ID}.desktop",
        f"{ID}.png": f"share/icons/hicolor/256x256/apps/{ID}.png",
        ".DirIcon": f"{ID}.png",
        "licences": "_internal/licences",
    }
    for name, target in links.items():
        (folder / name).symlink_to(target)


def allow_reading(folder: Path) -> None:
    """Whoever unpacks it, any user of the machine may run it, and nobody but the owner may change it."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            can_run = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
            path.chmod(0o755 if can_run else 0o644)


def archive(folder: Path, path: Path) -> Path:
    """Pack the folder, with no names of users of this machine."""

    def nobodys(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        return entry

    with tarfile.open(path, "w:xz", preset=2) as file:
        file.add(folder, folder.name, filter=nobodys)
    return path


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)
