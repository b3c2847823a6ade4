#!/usr/bin/env bash
# Run every test and benchmark that needs a GPU, in one call, with finished builds:
#
#     tests/gpu/everything.sh LOCAL GLOBAL OUT [UPSTREAM-UNIX-PORT]
#
# LOCAL and GLOBAL are folders that `porter build --target cuda` printed, with local and with global
# arenas. Results go to OUT, a folder outside the repository. `python3 -m porter_dev.gpu_tables`
# reduces a result to a table of docs/lab/results/.
#
# Optional environment variables name further builds. $CONFORMANCE: builds with the heap that
# upstream's tests need (`porter conformance --help` has the sizes), for upstream's tests; with
# $FORCED set, also as native code with forced side exits. $PORTER_GPU_FENCED: a build with
# `--bounds-checks`, on which two GPUs judge programs and the attacks run. $PORTER_GPU_FATBIN: a build with `--arch all`, for
# the tests of fatbins. $PORTER_GPU_PROFILING: a build with `--profile --target all`.
#
# Measurements run first, one at a time; then the tests, four at a time. Each part has a time limit,
# because a hanging kernel cannot always be interrupted. Needs CuPy, pytest, sybil and porter's
# dependencies; libclang and nvcc only for tests that say so when they skip. The exit status is the
# number of parts that failed.
set -u
cd "$(dirname "$0")/../.."
local_build=$1 global_build=$2 out=$3
reference=(${4:+--reference "$4"})
mkdir -p "$out"
rm -f "$out"/*.end # results of an earlier run

part() { # NAME SECONDS COMMAND...
    local name=$1 limit=$2 start=$SECONDS
    shift 2
    timeout "$limit" "$@" >"$out/$name.log" 2>&1
    echo "$name: exit code $?, $((SECONDS - start)) s" >"$out/$name.end"
    { tail -4 "$out/$name.log"; cat "$out/$name.end"; } | sed "s/^/$name| /"
}

pytest_gpu() { # NAME SECONDS BUILD PATHS...
    local name=$1 limit=$2 build=$3
    shift 3
    part "$name" "$limit" env PORTER_GPU_BUILD="$build" \
        python3 -m pytest -q -m gpu --tb=short -p no:cacheprovider "$@"
}

bench=(python3 -m porter bench --build "$local_build" "${reference[@]}")
part bench 580 "${bench[@]}" --json "$out/bench.json"
part bench-repl 120 "${bench[@]}" --only repl --only memory -n 1048576 --json "$out/bench-repl.json"
part bench-scale 200 "${bench[@]}" --scale --only figure8-function --repeat 3 \
    --json "$out/scale.json" --plot "$out/scale.svg"
part compiled 580 python3 benchmarks/compiled.py --target cuda --build "$local_build" --repeat 2 \
    --json "$out/compiled.json"
part repl-timing 120 python3 tests/gpu/repl_timing.py "$local_build" "$out/repl.json"

part sharing 240 python3 tests/gpu/sharing.py "$global_build" "$out/sharing.json"
part hostile 240 python3 tests/gpu/hostile.py "$global_build" "$out/hostile.json" --heap 1M
if [ -d "$global_build/host" ]; then # `porter build --target all`
    part steps 60 python3 tests/gpu/steps.py "$global_build" "$out/steps.json"
fi

sweep=(python3 -m porter sweep --target cuda --build "$global_build" --limit 100)
part sweep 240 "${sweep[@]}" --json "$out/sweep.json"
part sweep-compiled 580 "${sweep[@]}" --compiled --most 200 --json "$out/sweep-compiled.json"
part fuzz 240 python3 -m porter fuzz --calls --target cuda --sandbox --batch 2048 --minutes 2 \
    --build "$global_build"

number=0
for build in ${CONFORMANCE:-}; do
    number=$((number + 1))
    read -r release arena checked < <(python3 -c '
import sys
from pathlib import Path
from porter.run.built import open_build
built = open_build(Path(sys.argv[1]))
print(built.manifest["release"], built.config["arena"], built.bounds_checks)' "$build")
    conformance=(python3 -m porter conformance --target cuda --timeout 60 --build "$build"
        --release "$release")
    name=conformance-$release-$arena
    part "$name" 150 "${conformance[@]}" --json "$out/$name.json"
    if [ "$number" -le 2 ]; then # half a minute each; one build per arena
        if [ "$checked" = False ]; then # builds with bounds checks run no native code
            part "$name-compiled" 500 "${conformance[@]}" --compiled \
                --json "$out/$name-compiled.json"
            if [ -n "${FORCED:-}" ]; then # forced side exits and entries: a quarter of an hour
                part "$name-guards" 500 "${conformance[@]}" --compiled --fail-guards all
                part "$name-seventh" 500 "${conformance[@]}" --compiled --fail-guards 7
                part "$name-enter" 580 "${conformance[@]}" --compiled --enter everywhere
                part "$name-compiled-stress" 500 "${conformance[@]}" --compiled --gc-stress \
                    basics float
            fi
        fi
        part "$name-stress" 200 "${conformance[@]}" --gc-stress --json "$out/$name-stress.json" \
            basics float
    fi
done

# Each process reserves local memory for every resident thread, tens of gigabytes.
pytest_gpu language 240 "$local_build" tests/lang tests/speed &
pytest_gpu language-global 240 "$global_build" tests/lang tests/speed/test_order.py &
pytest_gpu files 240 "$local_build" tests/fs &
pytest_gpu console 240 "$local_build" tests/console --ignore tests/console/test_live_command.py &
wait
pytest_gpu arrays 240 "$local_build" tests/gpu/test_snapshots_on_gpu.py tests/array tests/run/test_bindings.py \
    tests/notebook/test_targets.py \
    --ignore tests/array/test_array_bind_host.py # large heaps: run no other process beside it
pytest_gpu attacks 580 "$global_build" tests/attacks # heaps of 5 MiB: global arenas
pytest_gpu two-gpus 120 "${PORTER_GPU_FENCED:-$local_build}" tests/gpu/test_two_gpus.py # skips if there is one GPU
pytest_gpu cluster 120 "${PORTER_GPU_FENCED:-$local_build}" tests/cluster/test_cluster_on_gpus.py
pytest_gpu several 120 "$local_build" \
    tests/several/test_arrays.py tests/several/test_launches.py tests/several/test_evaluate.py
pytest_gpu repl 240 "$local_build" tests/repl tests/profiling &
part memcheck 240 compute-sanitizer --tool memcheck --error-exitcode 9 \
    python3 tests/gpu/sanitize.py "$global_build" &
wait
pytest_gpu docs 300 "$local_build" tests/docs/test_documents.py # blocks of README.md and docs/ that need a GPU
pytest_gpu machine-code 300 "$local_build" tests/native tests/cli/test_run_compiled.py
pytest_gpu ordinary 240 "$local_build" tests/ordinary
part figures 180 python3 examples/figures.py "$local_build" -n 1048576 --picture "$out/beetle.png"
part programs 300 python3 tests/gpu/run_all.py "$local_build" "$out/run_all.json" -n 1048576

failed=0
for end in "$out"/*.end; do
    grep -q "exit code 0," "$end" || { echo "FAILED $(cat "$end")"; failed=$((failed + 1)); }
done
exit "$failed"
