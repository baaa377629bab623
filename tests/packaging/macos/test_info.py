"""Info.plist: what macOS needs to open the application and what it offers it for."""

from __future__ import annotations

import plistlib

import pytest

from app.conversations.exporting.json_file import OWN_ENDING
from macos.info import CONVERSATIONS_TYPE, info_plist, plain_version, project_version


@pytest.fixture
def plist():
    """As macOS would read it: through the file format."""
    return plistlib.loads(plistlib.dumps(info_plist("0.2.0rc1")))


def test_the_program_is_a_native_one_for_macos_14(plist):
    assert plist["LSMinimumSystemVersion"] == "14.0"
    assert plist["LSArchitecturePriority"] == ["arm64"]
    assert plist["LSApplicationCategoryType"] == "public.app-category.productivity"
    assert plist["NSHighResolutionCapable"] is True
    assert (plist["CFBundlePackageType"], plist["CFBundleExecutable"]) == ("APPL", "Slipstream")


def test_the_version_is_the_project_s_in_numbers_alone(plist):
    assert plist["CFBundleShortVersionString"] == plist["CFBundleVersion"] == "0.2.0"
    assert plain_version(project_version()) in project_version()
    with pytest.raises(ValueError, match="'rc' begins with no number"):
        plain_version("rc")


def test_folders_and_json_are_offered_and_our_own_files_open_here(plist):
    ranks = {one["LSItemContentTypes"][0]: one["LSHandlerRank"] for one in plist["CFBundleDocumentTypes"]}
    assert ranks == {"public.folder": "Alternate", "public.json": "Alternate", CONVERSATIONS_TYPE: "Owner"}
    assert {one["CFBundleTypeRole"] for one in plist["CFBundleDocumentTypes"]} == {"Viewer"}


def test_our_own_type_is_declared_with_its_ending(plist):
    (declared,) = plist["UTExportedTypeDeclarations"]
    assert declared["UTTypeIdentifier"] == CONVERSATIONS_TYPE
    assert declared["UTTypeConformsTo"] == ["public.json"]
    assert declared["UTTypeTagSpecification"] == {"public.filename-extension": [OWN_ENDING]}


def test_no_exception_from_encrypted_transport_is_asked_for(plist):
    assert "NSAppTransportSecurity" not in plist
    assert "LSEnvironment" not in plist
