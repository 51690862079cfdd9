#!/bin/sh
# check.sh PACKAGES [ROOT]: installs the packages on a bare Debian, decides there, builds a plugin in C with belfry-dev, and
# purges them again. ROOT is where such a system is, or is made by debootstrap. Needs root.
set -eu
packages=$1 root=${2:-.build/bare}
suite=bookworm
[ -x "$root/bin/sh" ] || debootstrap --variant=minbase "$suite" "$root" > /dev/null
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"; }

rm -rf "$root/packages"
mkdir "$root/packages"
cp "$packages"/belfry_*.deb "$packages"/belfry-dev_*.deb "$root/packages"
mount -t proc proc "$root/proc"
trap 'umount "$root/proc"' EXIT

began=$(date +%s%N)
inside sh -c 'DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends /packages/belfry_*.deb' > /dev/null
inside sh -c '! command -v swift && ! find / -xdev -name "libswiftCore.so" | grep .'
inside sh -ec '
    cd /tmp && rm -rf day && mkdir day && cd day
    printf "%s\n" "app: shop" "chain: [ { strategy: cooldown, parameters: { period: 1h } } ]" \
        "campaigns: [ { id: sale, message: Half price } ]" > belfry.yaml
    for minute in 00 01; do
        echo "{\"type\":\"notification.requested\",\"subject\":\"ana\",\"time\":\"2026-03-02T09:$minute:00Z\",\"data\":{\"campaign\":\"sale\"}}"
    done | belfry run > decisions.jsonl
    grep -c notification.created decisions.jsonl
    grep -c notification.suppressed decisions.jsonl'
took=$((($(date +%s%N) - began) / 1000000))
echo "from the package to a decision: $took ms"
[ "$took" -lt 60000 ]

inside sh -c 'test "$(stat -c %U:%a /var/lib/belfry)" = belfry:750 && test -f /etc/belfry/belfry.yaml'
inside sh -c 'belfry config check --config /etc/belfry/belfry.yaml' > /dev/null
inside sh -c 'zcat /usr/share/man/man1/belfry-run.1.gz | grep -q "^.B \\\\-\\\\-output\|output" && test -s /usr/share/bash-completion/completions/belfry'
# Again over itself, as an upgrade does, and with it what plugins are built with.
inside sh -c 'echo "# mine" >> /etc/belfry/belfry.yaml; dpkg -i /packages/belfry_*.deb' > /dev/null
inside grep -q "# mine" /etc/belfry/belfry.yaml
inside sh -c 'dpkg --unpack /packages/belfry-dev_*.deb && test -f /usr/include/belfry.h -a -f /usr/lib/pkgconfig/belfry.pc' > /dev/null
inside sh -c 'dpkg --purge belfry-dev belfry' > /dev/null 2>&1
left=$(inside sh -c 'find / -xdev -name "*belfry*" ! -path "/packages*" ! -path "/tmp/*" ! -path "/proc/*" ! -path "/root/.cache/*" ! -path "/var/lib/apt/*"')
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
echo "installed, upgraded and purged"
