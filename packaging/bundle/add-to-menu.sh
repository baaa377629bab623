#!/bin/sh
# Puts Slipstream into this user's menu, from where this folder lies; --remove takes it out again.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
data=${XDG_DATA_HOME:-$HOME/.local/share}
entry=$data/applications/slipstream.desktop
if [ "${1:-}" = --remove ]; then
    rm -f "$entry" "$data/mime/packages/slipstream.xml" "$data"/icons/hicolor/*/apps/slipstream.png \
        "$data/icons/hicolor/scalable/apps/slipstream.svg"
else
    mkdir -p "$data/applications" "$data/mime/packages"
    for size in "$here"/share/icons/hicolor/*; do
        mkdir -p "$data/icons/hicolor/${size##*/}/apps"
        cp "$size"/apps/* "$data/icons/hicolor/${size##*/}/apps/"
    done
    cp "$here/share/mime/packages/slipstream.xml" "$data/mime/packages/"
    # Within quotes the entry takes \ before " ` $ \, each written twice, and %% for %.
    program=$(printf '%s' "$here/Slipstream" | sed -e 's/[\\"`$]/\\\\&/g' -e 's/\\\\\\/\\\\\\\\/g' -e 's/%/%%/g')
    while IFS= read -r line; do
        case $line in
        Exec=*) printf 'Exec="%s" %%F\n' "$program" ;;
        *) printf '%s\n' "$line" ;;
        esac
    done <"$here/share/applications/slipstream.desktop" >"$entry"
fi
for command in "update-desktop-database $data/applications" "update-mime-database $data/mime"; do
    if command -v "${command%% *}" >/dev/null 2>&1; then
        "${command%% *}" "${command#* }" >/dev/null 2>&1 || true
    fi
done
