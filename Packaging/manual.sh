#!/bin/sh
# manual.sh BELFRY FOLDER: a page of the manual for the command and for each of its subcommands, from their --help.
set -eu
belfry=$1 folder=$2
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$("$belfry" --version)

# What help2man runs in the place of the command: the same words under the headings that it knows.
page() {
    name=$(echo belfry "$@" | tr ' ' -)
    {
        echo '#!/bin/sh'
        echo "[ \"\$1\" = --version ] && { echo \"belfry $version\"; exit; }"
        echo "COLUMNS=100 '$belfry' $* --help | sed -e 's/^OVERVIEW: //' -e 's/^USAGE:/Usage:/' -e 's/^OPTIONS:/Options:/' \\"
        echo "    -e 's/^ARGUMENTS:/Arguments:/' -e 's/^SUBCOMMANDS:/Commands:/'"
    } > "$work/$name"
    chmod +x "$work/$name"
    summary=$(COLUMNS=1000 "$belfry" "$@" --help | sed -n '1s/^OVERVIEW: //p')
    help2man --no-info --section=1 --name="$summary" --version-string="belfry $version" "$work/$name" > "$work/$name.1" || {
        echo "manual.sh: help2man did not write $name.1; if it is missing, install help2man" >&2
        exit 1
    }
    gzip -9n < "$work/$name.1" > "$folder/$name.1.gz"
}

subcommands() {
    COLUMNS=200 "$belfry" "$@" --help |
        sed -n '/^SUBCOMMANDS:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p;/^SUBCOMMANDS:/,/^$/s/^  \([a-z][a-z-]*\)$/\1/p'
}

page
for first in $(subcommands); do
    page "$first"
    for second in $(subcommands "$first"); do page "$first" "$second"; done
done
