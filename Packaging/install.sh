#!/bin/sh
# install.sh BUILD ROOT PREFIX [command|dev]: copies what was built to ROOT/PREFIX. Without the last word, all of it.
# SYMBOLS is the folder for what debuggers read, by default ROOT/PREFIX/lib/debug.
#
# The command lies in a folder of its own with the plugins that come with it: plugins beside the executable are trusted with it.
set -eu
# All users may read what is installed, whatever the umask of the one who installs it.
umask 022
build=$1 root=$2 prefix=$3 part=${4:-all}
here=$(cd "$(dirname "$0")" && pwd)
source=$(dirname "$here")
target=$root$prefix
symbols=${SYMBOLS:-$target/lib/debug}

# The symbols of a file lie apart, where debuggers look for them.
place() {
    apart=$symbols${2#"$root"}.debug
    install -D -m "$3" "$1" "$2"
    mkdir -p "$(dirname "$apart")"
    objcopy --only-keep-debug "$1" "$apart"
    strip --strip-unneeded "$2"
    objcopy --add-gnu-debuglink="$apart" "$2"
}

install_command() {
    mkdir -p "$target/bin"
    place "$build/belfry" "$target/lib/belfry/belfry" 755
    for plugin in "$build"/libBelfry*.so; do
        name=$(basename "$plugin")
        # The core for other languages is no plugin.
        [ "$name" = libBelfryLibrary.so ] || place "$plugin" "$target/lib/belfry/$name" 644
    done
    ln -sf ../lib/belfry/belfry "$target/bin/belfry"
    belfry=$target/bin/belfry
    sh "$here/manual.sh" "$belfry" "$target/share/man/man1"
    completion bash "$target/share/bash-completion/completions/belfry"
    completion zsh "$target/share/zsh/vendor-completions/_belfry"
    completion fish "$target/share/fish/vendor_completions.d/belfry.fish"
}

completion() {
    mkdir -p "$(dirname "$2")"
    "$belfry" --generate-completion-script "$1" > "$2"
}

install_dev() {
    mkdir -p "$target/include" "$target/lib/pkgconfig" "$target/share/belfry/swift"
    cp -rL "$source/Sources/CBelfry/include/belfry.h" "$source/Sources/CBelfry/include/belfry" "$target/include"
    install -m 644 "$source/Sources/CBelfryCore/include/belfry_core.h" "$target/include"
    place "$build/libBelfryLibrary.so" "$target/lib/libbelfry.so" 644
    version=$("$build/belfry" --version)
    sed -e "s|@PREFIX@|$prefix|" -e "s|@VERSION@|$version|" "$here/belfry.pc.in" > "$target/lib/pkgconfig/belfry.pc"
    # The kit for plugins in Swift: 'belfry plugins new --belfry PREFIX/share/belfry/swift'.
    cp -r "$source/Package.swift" "$source/Sources" "$source/Plugins" "$source/Templates" "$source/LICENSE" \
        "$target/share/belfry/swift"
    find "$target/share/belfry" -name .build -prune -exec rm -rf {} +
    chmod -R u=rwX,go=rX "$target/include" "$target/share/belfry"
}

case $part in
command) install_command ;;
dev) install_dev ;;
all)
    install_command
    install_dev
    ;;
esac
