#!/bin/sh
# Compiles examples/hello_kernel.cu against a build with --arena global:
#
#     examples/build_hello.sh BUILD [ARCH]     # BUILD: the folder that `porter build` names
#
# leaves examples/hello_kernel, which needs a driver and nothing else (the CUDA runtime is in it).
set -eu
if [ $# -lt 1 ] || [ ! -f "$1/cuda/libgpusnek.a" ]; then
    echo "usage: $0 BUILD [ARCH], where BUILD/cuda/libgpusnek.a is" \
        "(porter build --target cuda --arena global)" >&2
    exit 2
fi
build=$1
arch=${2:-sm_90}
here=$(dirname "$0")
exec nvcc -arch="$arch" -rdc=true -cudart static -Xnvlink -suppress-stack-size-warning \
    -I"$build/include" "$here/hello_kernel.cu" -L"$build/cuda" -lgpusnek -o "$here/hello_kernel"
