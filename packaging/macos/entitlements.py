"""What the hardened runtime is asked to leave open, and why the rest stays shut.

Apple's page "Hardened Runtime" (developer.apple.com/documentation/security/hardened_runtime): each entitlement switches
one protection off, for the whole process, so only what the program cannot do without may stand here.
"""

from __future__ import annotations

_CS = "com.apple.security.cs."

NEEDED: dict[str, str] = {}

# An ad-hoc signature has no team, so library validation would refuse our own libraries; with it off the other
# protections can be tried before there is a certificate.
NEEDED_AD_HOC = {f"{_CS}disable-library-validation": "no two ad-hoc signatures are of one team"}

NOT_NEEDED = {
    f"{_CS}allow-jit": (
        "MLX's Metal kernels are compiled by macOS outside of the process. QtCore of the PySide6 wheels has PCRE2 "
        "without its compiler: the library names no pthread_jit_write_protect_np. Qt's script engine is left out."
    ),
    f"{_CS}allow-unsigned-executable-memory": (
        "ctypes and PyObjC make their callbacks with macOS's own /usr/lib/libffi.dylib, which needs none on Apple "
        "silicon (github.com/ronaldoussoren/pyobjc/issues/310); older advice is of Intel Macs."
    ),
    f"{_CS}disable-executable-page-protection": "no library writes into code; it would end the whole protection",
    f"{_CS}disable-library-validation": (
        "every library in the bundle is signed anew with the application's identity, and none is loaded from outside: "
        "MLX would build one for kernels fused on its CPU stream, which is not used where there is a GPU"
    ),
    f"{_CS}allow-dyld-environment-variables": "no library is found by a DYLD_ variable",
    "com.apple.security.get-task-allow": "lets a debugger in; notarisation refuses it",
    "com.apple.security.app-sandbox": (
        "not asked for outside the App Store; model folders, the Hugging Face cache and LM Studio's folder lie "
        "where the user put them"
    ),
    "com.apple.security.automation.apple-events": "other programs are not driven",
    "com.apple.security.device.audio-input": "no microphone",
    "com.apple.security.device.camera": "no camera",
}


def entitlements(*, ad_hoc: bool) -> dict[str, bool]:
    """What goes to codesign; nothing false may stand in it."""
    return dict.fromkeys(NEEDED | (NEEDED_AD_HOC if ad_hoc else {}), True)
