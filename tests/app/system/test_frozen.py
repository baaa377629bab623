"""A program in a bundle."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from app.settings.login import start_command
from app.system.frozen import bundle_folder, free_children

BUNDLE = Path("/opt/Slipstream/_internal")


@pytest.fixture
def frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "_MEIPASS", str(BUNDLE), raising=False)
    monkeypatch.setattr(sys, "executable", "/opt/Slipstream/Slipstream")


def test_a_program_in_python_has_no_bundle() -> None:
    assert bundle_folder() is None


@pytest.mark.usefixtures("frozen")
def test_a_bundle_is_opened_at_login_by_its_own_executable() -> None:
    assert bundle_folder() == BUNDLE
    assert start_command() == ["/opt/Slipstream/Slipstream"]


def test_programs_opened_from_a_bundle_get_the_user_s_search_path_back() -> None:
    environment = {
        "LD_LIBRARY_PATH": str(BUNDLE),
        "LD_LIBRARY_PATH_ORIG": "/opt/own",
        "QT_PLUGIN_PATH": f"{BUNDLE}/PySide6/Qt/plugins",
        "QML2_IMPORT_PATH": "/usr/lib/qml",
    }
    free_children(BUNDLE, environment)
    assert environment == {"LD_LIBRARY_PATH": "/opt/own", "QML2_IMPORT_PATH": "/usr/lib/qml"}


def test_programs_opened_from_a_bundle_are_given_no_search_path_where_the_user_had_none() -> None:
    environment = {"LD_LIBRARY_PATH": str(BUNDLE), "HOME": "/home/one"}
    free_children(BUNDLE, environment)
    assert environment == {"HOME": "/home/one"}


def test_outside_a_bundle_the_user_s_search_path_stays() -> None:
    environment = {"LD_LIBRARY_PATH": "/opt/own"}
    free_children(None, environment)
    assert environment == {"LD_LIBRARY_PATH": "/opt/own"}
