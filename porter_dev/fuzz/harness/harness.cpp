// Entry point of libFuzzer: a fresh interpreter of the host twin runs each input as Python source.
//
// With PORTER_FUZZ_MODE=compile, the interpreter compiles the input as a module, a statement and an
// expression, and runs none of them. Otherwise the input runs as a program, for at most MOST_STEPS
// steps and one second. A status that no program can cause, or a write outside the arena, aborts
// the fuzzer.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch.h"

#define GPUSNEK_API
#include "interp.h"

extern "C" int gpusnek_launch(const gpusnek_launch_t *launch, int threads);

static const char COMPILE[] =
    "import sys\n"
    "s = sys.stdin.read()\n"
    "for k in 'exec', 'single', 'eval':\n"
    "    try:\n"
    "        compile(s, 'fuzz', k)\n"
    "    except Exception as e:\n"
    "        print(k, repr(e))\n";

// Sizes in bytes. They are small, so that heaps run out now and then. The heap also bounds the time
// of powers of large integers, which is quadratic in the heap's size.
static const uint64_t HEAP = 24 * 1024, PYSTACK = 2048, STACK = 24 * 1024, OUTPUT = 4096;

// Limit of steps; compiling may take as many in addition.
static const uint64_t MOST_STEPS = 4096;

static char output[OUTPUT], errors[OUTPUT];

// Run one program and return its status (GPUSNEK_OK ...). `bounded` sets limits of steps and time.
static int run(const char *text, size_t size, const uint8_t *in, size_t in_size, bool bounded) {
    static const uint64_t name = 0;
    const uint64_t offsets[2] = {0, size};
    const uint32_t stdin_length = (uint32_t)in_size;
    uint32_t out_length = 0, err_length = 0;
    int32_t status = GPUSNEK_STATUS_NOT_RUN, code = 0;
    gpusnek_launch_t launch;
    memset(&launch, 0, sizeof launch);
    launch.record_size = sizeof launch;
    launch.flags = GPUSNEK_FLAG_START | GPUSNEK_FLAG_EXEC | GPUSNEK_FLAG_STOP;
    launch.n = launch.total = launch.block_size = 1;
    launch.kind = GPUSNEK_FILE;
    launch.heap_size = HEAP;
    launch.pystack_size = PYSTACK;
    launch.stack_size = STACK;
    launch.text = (uint64_t)text;
    launch.text_offsets = (uint64_t)offsets;
    launch.names = (uint64_t)"fuzz";
    launch.name_offsets = (uint64_t)&name;
    launch.programs = 1;
    launch.stdin_base = (uint64_t)in;
    launch.stdin_length = (uint64_t)&stdin_length;
    launch.stdout_base = (uint64_t)output;
    launch.stdout_size = OUTPUT;
    launch.stdout_length = (uint64_t)&out_length;
    launch.stderr_base = (uint64_t)errors;
    launch.stderr_size = OUTPUT;
    launch.stderr_length = (uint64_t)&err_length;
    launch.status = (uint64_t)&status;
    launch.exit_code = (uint64_t)&code;
    launch.max_steps = bounded ? MOST_STEPS : 0;
    launch.deadline_ns = bounded ? 1000000000 : 0; // 1 s; stops programs that only sleep
    if (gpusnek_launch(&launch, 1) != 0) {
        abort();
    }
    return status;
}

// Abort the fuzzer on a status that no program can cause.
static void check(int status) {
    switch (status) {
        case GPUSNEK_OK:
        case GPUSNEK_EXCEPTION:
        case GPUSNEK_EXIT:
        case GPUSNEK_SYNTAX_ERROR:
        case GPUSNEK_OUT_OF_STEPS:
        case GPUSNEK_OUT_OF_TIME:
            return;
        default:
            fprintf(stderr, "fuzz: an interpreter ended with status %d\n", status);
            abort();
    }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *mode = getenv("PORTER_FUZZ_MODE");
    static const bool only_compile = mode && strcmp(mode, "compile") == 0;
    if (only_compile) {
        check(run(COMPILE, sizeof COMPILE - 1, data, size, false));
    } else {
        check(run((const char *)data, size, (const uint8_t *)"", 0, true));
    }
    return 0;
}
