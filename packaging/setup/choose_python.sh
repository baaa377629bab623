#!/bin/sh
# Prints the first Python that really runs, is in range and can make a virtual environment.
# A version manager's shim can exist and fail, and a distribution can leave out ensurepip: so each is tried.
# One that PYTHON names is taken or refused, never passed over.
is_usable() {
    "$1" -c 'import ensurepip, ssl, sys, venv; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' >/dev/null 2>&1
}
if [ -n "${PYTHON:-}" ]; then
    if is_usable "$PYTHON"; then
        printf '%s\n' "$PYTHON"
        exit 0
    fi
    if ! command -v "$PYTHON" >/dev/null 2>&1; then
        fault="is no program that can be run"
    elif ! version=$("$PYTHON" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null); then
        fault="does not run as a Python"
    elif ! "$PYTHON" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' >/dev/null 2>&1; then
        fault="is Python $version; 3.11, 3.12 or 3.13 is needed"
    else
        fault="lacks venv, ensurepip or ssl"
    fi
    echo "PYTHON=$PYTHON $fault: name another, or leave PYTHON out, then run make again." >&2
    exit 1
fi
for candidate in python3.12 python3.13 python3.11 python3; do
    if is_usable "$candidate"; then
        printf '%s\n' "$candidate"
        exit 0
    fi
done
echo "No Python 3.11, 3.12 or 3.13 with venv was found: install one (Debian, Ubuntu: apt install python3-venv;" \
    "Fedora: dnf install python3.12; macOS: brew install python@3.12 or python.org), then run make again." >&2
exit 1
