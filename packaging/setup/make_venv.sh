#!/bin/sh
# Makes .venv anew unless it was finished, still runs and had no pip killed in it; called in the project's folder.
set -eu
if [ -e .venv/.made ] && [ ! -e .venv/.busy ] &&
    .venv/bin/python -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null; then
    exit 0
fi
python=$(sh packaging/setup/choose_python.sh)
echo "Making .venv with $python"
rm -f .venv/.made
rm -rf .venv
"$python" -m venv .venv
touch .venv/.made
