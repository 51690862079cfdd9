#!/bin/sh
# Holds a service to its own description: requests made from /openapi.yaml by schemathesis, and answers compared with it.
#
#     run.sh BELFRY SCHEMATHESIS FOLDER SECONDS
set -eu
belfry=$1 schemathesis=$2 folder=$3 seconds=$4
rm -rf "$folder" && mkdir -p "$folder"
here=$(cd "$(dirname "$0")" && pwd)
cp "$here/belfry.yaml" "$folder"
cd "$folder"
export PYTHONPATH="$here" SCHEMATHESIS_HOOKS=lines PYTHONDONTWRITEBYTECODE=1

"$belfry" serve --listen 127.0.0.1:0 --manage 127.0.0.1:0 --store memory: 2> said &
service=$!
trap 'kill $service 2> /dev/null || true; wait $service || true' EXIT
until grep -q '#token=' said; do kill -0 $service || { cat said; exit 1; }; sleep 0.05; done
token=$(sed -n 's/.*#token=//p' said)
api=$(sed -n 's/^listening at //p' said)
management=$(sed -n 's/^health and metrics at //p' said)

# Management has a listener of its own. The stream has no end, which a request does not wait for: other tests read it.
paths='^/(livez|readyz|metrics|-/|admin/)'
ask() {
    command=$1 url=$2
    shift 2
    "$schemathesis" --config-file "$here/schemathesis.toml" --no-color "$command" "$api/openapi.yaml" --url "$url" -H "Authorization: Bearer $token" \
        --exclude-path /v1/decisions/stream --generation-database none --workers 1 --continue-on-failure "$@"
}
ask run "$api" --exclude-path-regex "$paths" --report har --report-har-path api.har
ask run "$management" --include-path-regex "$paths"
# That check asks once more, and schemathesis 4.32 then stumbles over its own list of requests; it was made above.
ask fuzz "$api" --exclude-path-regex "$paths" --exclude-checks ignored_auth --max-time "$seconds"

kill -0 $service
curl -sf "$management/readyz" | grep -x ready
