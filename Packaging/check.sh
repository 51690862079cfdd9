#!/bin/sh
# check.sh PACKAGES [ROOT]: boots a bare Debian, installs the packages there, decides by the service over its socket, upgrades it
# while signals come, removes and installs it again, sends it a plugin that was built and signed elsewhere, and purges it. ROOT is where such
# a system is, or is made by debootstrap. Needs root.
set -eu
packages=$1 root=${2:-.build/bare}
suite=bookworm
[ -x "$root/bin/sh" ] || debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus "$suite" "$root" > /dev/null
rm -rf "$root/packages"
mkdir "$root/packages"
cp "$packages"/belfry_*.deb "$packages"/belfry-dev_*.deb "$root/packages"

# systemd is process 1 there, as on a machine of its own. What happens there is forgotten, so that the next one is bare again.
systemd-nspawn --quiet --boot --volatile=overlay --register=no --keep-unit --directory "$root" > "$root.log" 2>&1 &
machine=$!
leader=
stop() {
    [ -z "$leader" ] || kill -s RTMIN+4 "$leader" 2> /dev/null || true
    wait "$machine" || true
}
team=$(mktemp -d)
trap 'stop; rm -rf "$team"' EXIT
# fails COMMAND: goes on only if it does. 'set -e' takes no notice of '! COMMAND'.
fails() {
    if "$@"; then
        echo "did not fail: $*"
        exit 1
    fi
}
# waits COMMAND: until it succeeds, for a minute at most.
waits() {
    for _ in $(seq 300); do
        if "$@" > /dev/null 2>&1; then return; fi
        sleep 0.2
    done
    echo "never succeeded: $*; see $root.log"
    exit 1
}
inside() {
    nsenter --target "$leader" --all --root --wd -- env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"
}
booted() {
    leader=$(pgrep -P "$machine") && inside systemctl is-system-running | grep -q 'running\|degraded'
}
waits booted

now() { date +%s%N; }
since() { echo "$((($(now) - $1) / 1000000))"; }
api=/run/belfry/api.sock
call() { curl --silent --show-error --fail --unix-socket "/proc/$leader/root$api" -H "Authorization: Bearer $token" "$@"; }
# signal ID SUBJECT
signal() {
    call -H 'Content-Type: application/cloudevents+json' http://localhost/v1/signals \
        --data "{\"id\":\"$1\",\"type\":\"notification.requested\",\"subject\":\"$2\",\"data\":{\"campaign\":\"sale\"}}"
}

# From two packages to a decision by a service.
began=$(now)
inside sh -c 'DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends /packages/*.deb' > "$root.apt.log" 2>&1
installed=$(since "$began")
inside sh -c '! command -v swift && ! find / -xdev -name "libswiftCore.so" | grep .'
inside sh -ec 'cat > /etc/belfry/belfry.yaml' << 'END'
app: shop
store: sqlite:/var/lib/belfry/belfry.db
chain: [ { strategy: cooldown, parameters: { period: 1h } } ]
campaigns: [ { id: sale, message: Half price } ]
serve: { tokens: /var/lib/belfry/tokens.yaml }
END
token=$(inside runuser -u belfry -- belfry tokens new check --role admin --config /etc/belfry/belfry.yaml 2> /dev/null)
inside systemctl restart belfry
signal first ana | grep -q notification.created
signal second ana | grep -q notification.suppressed
took=$(since "$began")
echo "from the packages to a decision by the service: $took ms, of which $installed ms to install them"
[ "$took" -lt 60000 ]
began=$(now)
inside systemctl restart belfry
call http://localhost/v1/decisions | grep -q ana:2
echo "a restart: $(since "$began") ms until it answers"

# Each bundled plugin loads without what the machine that built it had.
inside sh -c 'cd /etc/belfry && belfry plugins' > "$team/plugins" 2>&1
fails grep "cannot load" "$team/plugins"
inside sh -c 'test "$(stat -c %U:%a /var/lib/belfry)" = belfry:750'
inside sh -c 'test "$(systemctl show -P User belfry)" = belfry && systemd-analyze security --threshold=25 belfry.service' > /dev/null
inside sh -c 'zcat /usr/share/man/man1/belfry-run.1.gz | grep -q output && test -s /usr/share/bash-completion/completions/belfry'
inside sh -c 'test -f /usr/include/belfry.h -a -f /usr/lib/pkgconfig/belfry.pc'

# An upgrade of a service at work. What is not answered is sent again; what is answered has been decided once.
(
    count=0
    while [ ! -e "$root.done" ]; do
        count=$((count + 1))
        until signal "u-$count" "u$count" > /dev/null 2>&1; do :; done
    done
    echo "$count" > "$root.count"
) &
load=$!
rm -f "$root.done"
inside sh -c 'dpkg -i /packages/belfry_*.deb' > /dev/null 2>&1
inside systemctl is-active --quiet belfry
touch "$root.done"
wait "$load"
decided=$(call "http://localhost/v1/decisions?limit=10000" | grep -o '"id":"u[0-9]*:[0-9]*"' | sort | uniq -c | awk '$1 == 1' | wc -l)
echo "signals over an upgrade: $(cat "$root.count") sent, $decided decided"
[ "$decided" = "$(cat "$root.count")" ]
inside grep -q "app: shop" /etc/belfry/belfry.yaml
rm -f "$root.done" "$root.count"
inside systemctl stop belfry
inside sh -c 'dpkg -i /packages/belfry_*.deb' > /dev/null 2>&1
fails inside systemctl is-active --quiet belfry
inside systemctl start belfry

# Removed and installed again: it is at work again with what it had decided, unless it was disabled.
again() { inside sh -c 'dpkg --remove belfry-dev belfry && dpkg -i /packages/*.deb' > "$root.apt.log" 2>&1; }
again
inside systemctl is-enabled --quiet belfry
signal again ana | grep -q notification.suppressed
inside systemctl disable --quiet --now belfry
again
fails inside systemctl is-enabled --quiet belfry
fails inside systemctl is-active --quiet belfry
inside systemctl enable --quiet --now belfry

# A plugin of another team, who have the packages and a compiler: built and signed there, and sent.
for package in "$root"/packages/*.deb; do dpkg-deb -x "$package" "$team/sdk"; done
(
    cd "$team"
    sdk/usr/bin/belfry plugins new quiet --language c
    make -C quiet plugins/quiet.so
    ssh-keygen -q -t ed25519 -N '' -C acme -f key
    sdk/usr/bin/belfry plugins sign quiet/plugins/quiet.so --key key
) > /dev/null
cp "$team"/quiet/plugins/quiet.so* "$team/key.pub" "/proc/$leader/root/etc/belfry/plugins"
inside sh -ec '
    cd /etc/belfry
    echo "plugins: { directories: [bundled, plugins] }" >> belfry.yaml
    echo "trust: { signers: allowed_signers }" >> belfry.yaml
    sed -i "s/^chain: .*/chain: [ { strategy: quiet, parameters: { pause: 1h } } ]/" belfry.yaml
    belfry trust add plugins/key.pub --for quiet && belfry plugins lock && systemctl reload belfry' > /dev/null
reloaded() { call http://localhost/v1/config | grep -q quiet; }
waits reloaded
signal third eve | grep -q notification.created
signal fourth eve | grep -q '"strategy":"quiet"'
echo "a plugin that was built, signed and sent decides"
echo >> "/proc/$leader/root/etc/belfry/plugins/quiet.so"
fails inside sh -c 'cd /etc/belfry && belfry plugins verify'
fails inside systemctl restart belfry 2> /dev/null
fails inside systemctl is-active --quiet belfry

inside sh -c 'dpkg --purge belfry-dev belfry' > "$root.apt.log" 2>&1
left=$(inside sh -c 'find / -xdev -name "*belfry*" ! -path "/packages*" ! -path "/tmp/*" ! -path "/proc/*" ! -path "/root/.cache/*" ! -path "/var/lib/apt/*"')
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
fails inside getent passwd belfry
echo "installed, upgraded and purged"
