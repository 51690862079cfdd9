#!/bin/sh
# A cluster on this machine: a JobManager and two TaskManagers on the loopback device.
#
#     cluster.sh start | stop
#     cluster.sh run [OPTION OF flink run]… -- [OPTION OF THE JOB]…
#     cluster.sh flink …
#
# FLINK_BUILD is the folder of 'make flink', CLUSTER where the cluster keeps what it writes, PORT where its page is.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${FLINK_BUILD:-$here/.build}
CLUSTER=${CLUSTER:-$build/cluster}
PORT=${PORT:-8081}
flink=$build/flink/pyflink

export FLINK_CONF_DIR="$CLUSTER/conf" FLINK_LOG_DIR="$CLUSTER/log" FLINK_PID_DIR="$CLUSTER/pid"
# The folder with belfry, its plugins and libbelfry_jni.so: on every machine with a TaskManager, at the same place.
export BELFRY_HOME="${BELFRY_HOME:-$build/belfry}"
# Signals like SIGSEGV are the JVM's business; Swift's backtracer would take some.
export SWIFT_BACKTRACE=enable=no

configure() {
    mkdir -p "$FLINK_CONF_DIR" "$FLINK_LOG_DIR" "$FLINK_PID_DIR"
    options=$(sed -n 's/^ *all: \(--add-.*\)$/\1/p' "$flink/conf/config.yaml")
    sed -e "s|FOLDER|$CLUSTER|; s|RPC_PORT|${RPC_PORT:-6123}|; s|PORT|$PORT|; s|JAVA_OPTIONS|$options|" "$here/conf/config.yaml" \
        > "$FLINK_CONF_DIR/config.yaml"
    cp "$flink"/conf/log4j*.properties "$FLINK_CONF_DIR"
}

case ${1:-} in
start)
    configure
    "$flink/bin/jobmanager.sh" start
    "$flink/bin/taskmanager.sh" start
    "$flink/bin/taskmanager.sh" start
    echo "the cluster's page: http://localhost:$PORT" ;;
stop)
    "$flink/bin/taskmanager.sh" stop-all
    "$flink/bin/jobmanager.sh" stop-all ;;
run)
    shift
    options=
    while [ $# -gt 0 ] && [ "$1" != -- ]; do options="$options $1"; shift; done
    [ $# -eq 0 ] || shift
    # shellcheck disable=SC2086
    exec "$flink/bin/flink" run $options -c belfry.flink.BelfryJob "$build/belfry-flink.jar" "$@" ;;
flink)
    shift
    exec "$flink/bin/flink" "$@" ;;
configure)
    configure ;;
*)
    sed -n '2,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//'
    exit 2 ;;
esac
