#!/bin/sh
# The main job, end to end: decisions from signals, by plugins, with state that survives a restart.
set -eu
belfry=$1
demo=$(dirname "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
run() {
    say "\$ belfry $*"
    "$belfry" "$@"
}
store="sqlite:$folder/coffee.db"

say "The chain: four plugins, loaded with dlopen, asked in this order"
run strategies list --config "$demo/belfry.yaml"

say "The morning"
run run --config "$demo/belfry.yaml" --store "$store" --signals "$demo/morning.jsonl"

say "The process has ended. A new one goes on with the afternoon: cooldowns and caps are still there"
run run --config "$demo/belfry.yaml" --store "$store" --signals "$demo/afternoon.jsonl"

say "What is remembered of ana"
run state show ana --config "$demo/belfry.yaml" --store "$store"
