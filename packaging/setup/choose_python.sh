#!/bin/sh
# Prints the first Python that really runs, is in range and can make a virtual environment.
# A version manager's shim can exist and fail, and a distribution can leave out ensurepip: so each is tried.
for candidate in ${PYTHON:+"$PYTHON"} python3.12 python3.13 python3.11 python3; do
    if "$candidate" -c 'import ensurepip, ssl, sys, venv; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' \
        >/dev/null 2>&1; then
        printf '%s\n' "$candidate"
        exit 0
    fi
done
echo "No Python 3.11, 3.12 or 3.13 with venv was found: install one (Debian, Ubuntu: apt install python3-venv;" \
    "Fedora: dnf install python3.12; macOS: brew install python@3.12 or python.org), then run make again." >&2
exit 1
