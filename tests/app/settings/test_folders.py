import stat

import pytest

from app.settings.folders import data_folder


def test_named_folder_is_made_for_the_user_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("SLIPSTREAM_DATA", str(tmp_path / "模型 é" / "data"))
    assert data_folder() == tmp_path / "模型 é" / "data"
    assert stat.S_IMODE(data_folder().stat().st_mode) == 0o700


@pytest.mark.skipif("sys.platform != 'linux'", reason="names the folder by XDG")
def test_default_folder_is_the_users_own(tmp_path, monkeypatch):
    monkeypatch.delenv("SLIPSTREAM_DATA", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    (tmp_path / "slipstream").mkdir(mode=0o755)
    assert data_folder() == tmp_path / "slipstream"
    assert stat.S_IMODE(data_folder().stat().st_mode) == 0o700
