#!/bin/sh
# package.sh BUILD OUT: Debian packages of what was built: belfry, belfry-dev, and the symbols of both.
set -eu
build=$1 out=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
architecture=$(dpkg --print-architecture)
version=$("$build/belfry" --version)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct 2> /dev/null || date +%s)}
export SOURCE_DATE_EPOCH
mkdir -p "$out"

# The packages whose libraries the files of a folder need, with their versions.
libraries() {
    mkdir -p "$work/debian"
    printf 'Source: belfry\n\nPackage: belfry\nArchitecture: any\n' > "$work/debian/control"
    (cd "$work" && find "$1" -type f \( -name belfry -o -name '*.so' \) -exec dpkg-shlibdeps -O --ignore-missing-info {} + 2> /dev/null) |
        sed -n 's/^shlibs:Depends=//p'
}

# control NAME DEPENDS SUMMARY DESCRIPTION
control() {
    mkdir -p "$work/$1/DEBIAN"
    {
        echo "Package: $1"
        echo "Version: $version"
        echo "Architecture: $architecture"
        echo "Maintainer: The Belfry developers <belfry@localhost>"
        echo "Section: net"
        echo "Priority: optional"
        echo "Installed-Size: $(du -sk --exclude=DEBIAN "$work/$1" | cut -f1)"
        echo "Depends: $2"
        [ -z "${5-}" ] || echo "Suggests: $5"
        echo "Description: $3"
        echo " $4"
    } > "$work/$1/DEBIAN/control"
}

build_package() {
    install -D -m 644 "$here/../LICENSE" "$work/$1/usr/share/doc/$1/copyright"
    (cd "$work/$1" && find . -type f ! -path './DEBIAN/*' -printf '%P\0' | sort -z | xargs -0 md5sum > DEBIAN/md5sums)
    find "$work/$1" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zxz --build "$work/$1" "$out/$1_${version}_$architecture.deb" > /dev/null
    echo "$out/$1_${version}_$architecture.deb"
}

SYMBOLS=$work/belfry-dbgsym/usr/lib/debug
export SYMBOLS
sh "$here/install.sh" "$build" "$work/belfry" /usr command
mkdir -p "$work/belfry/etc/belfry/plugins"
install -m 644 "$here/debian/belfry.yaml" "$work/belfry/etc/belfry"
install -D -m 644 -t "$work/belfry/lib/systemd/system" "$here/debian/belfry.service" "$here/debian/belfry-run.service"
control belfry "$(libraries "$work/belfry/usr/lib/belfry"), passwd, tzdata" \
    "decides which notifications ring" \
    "Signals in, decisions out; strategies are plugins. With the bundled plugins and a service." \
    "libpq5, postgresql"
echo /etc/belfry/belfry.yaml > "$work/belfry/DEBIAN/conffiles"
for script in postinst prerm postrm; do install -m 755 "$here/debian/$script" "$work/belfry/DEBIAN"; done

sh "$here/install.sh" "$build" "$work/belfry-dev" /usr dev
control belfry-dev "belfry (= $version), $(libraries "$work/belfry-dev/usr/lib")" \
    "headers, library and kits of Belfry" \
    "To write plugins in C, Rust and Swift, and to embed the core: belfry.h, belfry_core.h, libbelfry, pkg-config."

control belfry-dbgsym "belfry (= $version)" "symbols of Belfry" "For debuggers and profilers."

for package in belfry belfry-dev belfry-dbgsym; do build_package "$package"; done
