"""The files that open the program at login say what their systems read."""

from __future__ import annotations

import configparser
import plistlib
import shlex

import pytest

from app.settings.login import login_path, remove_login_file, write_login_file

COMMAND = ["/opt/Slip stream/bin/slipstream", "-m", "50%"]


def test_launch_agent_starts_the_command_at_login_with_its_data_folder(tmp_path):
    path = tmp_path / "LaunchAgents" / "slipstream.login.plist"
    write_login_file(path, COMMAND, "/data", platform="darwin")
    agent = plistlib.loads(path.read_bytes())
    assert (agent["ProgramArguments"], agent["RunAtLoad"]) == (COMMAND, True)
    assert agent["EnvironmentVariables"] == {"SLIPSTREAM_DATA": "/data"}


def test_autostart_entry_quotes_what_has_spaces_and_percent_signs(tmp_path):
    path = tmp_path / "autostart" / "slipstream.desktop"
    write_login_file(path, COMMAND, platform="linux")
    entry = configparser.RawConfigParser()
    entry.read_string(path.read_text())
    words = shlex.split(entry["Desktop Entry"]["Exec"])
    assert [word.replace("%%", "%") for word in words] == COMMAND
    assert entry["Desktop Entry"]["Type"] == "Application"


@pytest.mark.parametrize(("platform", "end"), [("darwin", "LaunchAgents"), ("linux", "autostart")])
def test_file_lies_where_the_system_looks_for_it(monkeypatch, tmp_path, platform, end):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert login_path(platform).parent.name == end
    assert login_path(platform).is_relative_to(tmp_path)


def test_file_that_is_not_there_can_be_removed(tmp_path):
    remove_login_file(tmp_path / "missing")
