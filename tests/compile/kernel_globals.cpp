// The port's half of gpusnek.cuh on the host: sets and reads globals, and reports errors. Prints
// one line per check: name, status, value; then the stderr buffer's last lines.
#include "interpreter.h"
#include "kernel_api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char errors[4096];
static size_t out_length;
static size_t err_length;

static void attach(void *top) {
    gpusnek_io_t io;
    memset(&io, 0, sizeof io);
    io.out.size = GPUSNEK_CONSOLE;
    io.out.length = &out_length;
    io.err.data = errors;
    io.err.size = sizeof errors - 1;
    io.err.length = &err_length;
    io.stack_top = top;
    io.stack_size = 64 << 10;
    gpusnek_attach(&io);
}

static int run(const char *source) {
    return gpusnek_exec(source, strlen(source), GPUSNEK_FILE, "<string>");
}

int main() {
    volatile char top = 0;
    porter_state_current = (porter_state_t *)calloc(1, GPUSNEK_STATE_BYTES);
    porter_setup();
    porter_state_init();
    attach((void *)&top);
    gpusnek_boot_t boot;
    memset(&boot, 0, sizeof boot);
    boot.total = 1;
    boot.heap_size = 16 << 10;
    boot.heap = aligned_alloc(64, boot.heap_size);
    boot.pystack_size = 2 << 10;
    boot.pystack = aligned_alloc(64, boot.pystack_size);
    setvbuf(stdout, NULL, _IONBF, 0);
    printf("start %d\n", gpusnek_start(&boot));

    float data[4] = {1, 2, 3, 4};
    printf("int %d\n", gpusnek_store_int("i", INT64_MIN));
    printf("float %d\n", gpusnek_store_float("f", 0.5));
    printf("str %d\n", gpusnek_store_str("s", "h\xc3\xa9llo", 6));
    printf("memory %d\n", gpusnek_store_memory("m", data, 4, 'f'));
    printf("run %d\n", run("j = i + 1\ng = f * sum(m)\nm[0] = 9\nt = s[1:] * 2\nprint(len(s))\n"
        "big = 1 << 64\n"));

    int64_t integer = 7;
    double number = 7;
    char text[8];
    size_t length = 0;
    printf("j %d", gpusnek_load_int("j", &integer));
    printf(" %lld\n", (long long)integer);
    printf("g %d", gpusnek_load_float("g", &number));
    printf(" %g\n", number);
    printf("i as float %d\n", gpusnek_load_float("i", &number));
    memset(text, 0, sizeof text);
    printf("t %d", gpusnek_load_str("t", text, 5, &length));
    printf(" %zu %s\n", length, text);
    printf("data %g\n", data[0]);

    integer = 7;
    printf("missing %d\n", gpusnek_load_int("nothing", &integer));
    printf("builtin %d\n", gpusnek_load_int("len", &integer));
    printf("type %d\n", gpusnek_load_int("f", &integer));
    printf("big %d\n", gpusnek_load_int("big", &integer));
    printf("kept %lld\n", (long long)integer);
    printf("utf-8 %d\n", gpusnek_store_str("s", "\xff\xfe", 2));
    printf("typecode %d\n", gpusnek_store_memory("m", data, 4, '!'));
    printf("unaligned %d\n", gpusnek_store_memory("m", (char *)data + 1, 2, 'f'));
    printf("full %d\n", gpusnek_store_str("s", (const char *)calloc(1, 1 << 20), 1 << 20));
    printf("after %d\n", run("print('alive', s)\n"));
    errors[err_length < sizeof errors ? err_length : sizeof errors - 1] = 0;
    fputs(errors, stdout);
    return 0;
}
