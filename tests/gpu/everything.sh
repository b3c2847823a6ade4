#!/usr/bin/env bash
# Every test and benchmark that needs a GPU, in one call, from finished builds:
#
#     tests/gpu/everything.sh LOCAL GLOBAL OUT [UPSTREAM-UNIX-PORT]
#
# LOCAL and GLOBAL are folders that `porter build --target cuda` printed, with local and with
# global arenas; results go to OUT. Needs CuPy, pytest and porter's dependencies; libclang and nvcc
# only for the tests that say so when they skip. Each part has a time limit, for what hangs on a GPU
# cannot always be interrupted. Exits with the number of parts that failed.
set -u
cd "$(dirname "$0")/../.."
local_build=$1 global_build=$2 out=$3 reference=${4:+--reference $4}
mkdir -p "$out"
failed=0

part() { # NAME SECONDS COMMAND...
    local name=$1 limit=$2
    shift 2
    echo "== $name"
    timeout "$limit" "$@" 2>&1 | tee "$out/$name.log" | tail -15
    [ "${PIPESTATUS[0]}" -eq 0 ] || { echo "FAILED: $name"; failed=$((failed + 1)); }
}

pytest_gpu() { # NAME SECONDS BUILD PATHS...
    local name=$1 limit=$2 build=$3
    shift 3
    part "$name" "$limit" env PORTER_GPU_BUILD="$build" python3 -m pytest -q -m gpu --tb=short "$@"
}

pytest_gpu barrier 180 "$local_build" tests/lang/test_barrier.py -x
pytest_gpu language 180 "$local_build" tests/lang tests/speed
pytest_gpu language-global 180 "$global_build" tests/lang
pytest_gpu files 180 "$local_build" tests/fs
pytest_gpu console 120 "$local_build" tests/console --ignore tests/console/test_live_command.py
pytest_gpu arrays 180 "$local_build" tests/array tests/run/test_bindings.py
pytest_gpu repl 180 "$local_build" tests/repl
pytest_gpu benchmarks 300 "$local_build" tests/bench
part figures 180 python3 examples/figures.py "$local_build" -n 1048576 --picture "$out/beetle.png"
part repl-timing 120 python3 tests/gpu/repl_timing.py "$local_build" "$out/repl.json"
part programs 300 python3 tests/gpu/run_all.py "$local_build" "$out/run_all.json"
# shellcheck disable=SC2086
part bench 400 python3 -m porter bench --build "$local_build" $reference --json "$out/bench.json"
# shellcheck disable=SC2086
part bench-scale 300 python3 -m porter bench --build "$local_build" $reference --scale \
    --only figure8-module --repeat 3 --json "$out/scale.json" --plot "$out/scale.svg"
exit "$failed"
