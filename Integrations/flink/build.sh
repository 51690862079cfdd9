#!/bin/sh
# Builds what the integration needs into FOLDER, from the wheels of Flink and a folder with belfry, libbelfry.so and the plugins.
#
#     build.sh FOLDER BELFRY
#
#   FOLDER/flink    Flink, with the class of the native library in lib/
#   FOLDER/belfry   BELFRY_HOME: the command, the plugins, libbelfry.so, libbelfry_jni.so
#   FOLDER/belfry-flink.jar   the job
#   FOLDER/check.jar          what the checks run besides
set -eu
cd "$(dirname "$0")"
folder=$1 belfry=$2
version=2.3.0
flink=$folder/flink/pyflink

mkdir -p "$folder/belfry" "$folder/classes"
if [ ! -d "$flink/lib" ]; then
    echo "fetching Flink $version" >&2
    python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-deps --target "$folder/flink" \
        apache-flink==$version apache-flink-libraries==$version
fi

java=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")
cp "$belfry/belfry" "$belfry"/*.so "$folder/belfry/"
ln -sf libBelfryLibrary.so "$folder/belfry/libbelfry.so"
cc -std=gnu11 -O2 -Wall -Wextra -Werror -fPIC -shared -o "$folder/belfry/libbelfry_jni.so" native/belfry_jni.c \
    -I ../../Sources/CBelfryCore/include -I "$java/include" -I "$java/include/linux" \
    -L "$folder/belfry" -lbelfry '-Wl,-rpath,$ORIGIN'

# compile NAME CLASSPATH SOURCES: the jar NAME of the sources. What Flink's own classes are missing is no news.
compile() {
    rm -rf "$folder/classes/$1"
    find "$3" -name '*.java' > "$folder/classes/$1.txt"
    javac -Xlint:all,-processing,-classfile,-serial,-unchecked -Werror -encoding UTF-8 --release 17 -d "$folder/classes/$1" -cp "$2" \
        "@$folder/classes/$1.txt"
    jar --create --file "$folder/$1.jar" -C "$folder/classes/$1" .
}

compile belfry-native "" src/core
mv "$folder/belfry-native.jar" "$flink/lib/"
compile belfry-flink "$flink/lib/*" src/job
compile check "$flink/lib/*:$folder/belfry-flink.jar" check/src
