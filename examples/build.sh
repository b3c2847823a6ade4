#!/bin/sh
# Compiles the examples against a build:
#
#     examples/build.sh host BUILD OUT [OPTION ...]      # g++, against the host twin
#     examples/build.sh sm_90 BUILD OUT [OPTION ...]     # nvcc, against a build with --arena global
#
# BUILD is the folder that `porter build` prints. The script creates OUT and writes one program per
# example there; each program checks its own results. The compiler gets OPTIONs (-DNUM_COLS=2048).
# Programs that nvcc compiles contain the CUDA runtime and need only a driver.
set -eu
if [ $# -lt 3 ] || [ ! -f "$2/include/gpusnek.cuh" ]; then
    echo "usage: $0 host|ARCH BUILD OUT [OPTION ...], where BUILD is a folder of porter build" >&2
    exit 2
fi
target=$1
build=$(cd "$2" && pwd)
out=$3
shift 3
here=$(dirname "$0")
if [ "$target" = host ]; then
    set -- g++ -x c++ -std=c++17 -O2 "$@" -I"$build/include"
    libraries="-L$build/host -lgpusnek -Wl,-rpath,$build/host"
else
    if [ ! -f "$build/cuda/libgpusnek.a" ]; then
        echo "$build has no cuda/libgpusnek.a: porter build --target cuda --arena global" >&2
        exit 2
    fi
    set -- nvcc -arch="$target" -rdc=true -cudart static -Xnvlink -suppress-stack-size-warning \
        "$@" -I"$build/include"
    libraries="-L$build/cuda -lgpusnek"
fi
mkdir -p "$out"
for source in "$here"/*.cu; do
    name=$(basename "$source" .cu)
    # shellcheck disable=SC2086 # two or three words
    "$@" "$source" $libraries -o "$out/$name"
    echo "$out/$name"
done
