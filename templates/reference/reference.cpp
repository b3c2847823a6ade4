// The plain C reference build: the port as an ordinary program that runs one interpreter on the
// host.
//
// gpusnek does not contain it. Tests compare the rewritten code's behaviour with it, and builds
// compile the modules that they freeze with it (`--compile`, porter/freeze). This file provides the
// port's hooks (templates/port/hooks.h) and the command line. Every unit is linked as compiled by
// the C compiler, without the rewriter.
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "libm.inc"
#include "words.inc"

extern "C" {
#define _Noreturn [[noreturn]]
#include "hooks.h"
#include "interp.h"
#undef _Noreturn
}

extern "C" __attribute__((noinline)) void porter_gc_flush(
    void (*scan)(void *lowest, void *context), void *context) {
    // This frame, above `lowest`, saves every callee-saved register.
    __builtin_unwind_init();
    void *volatile lowest = nullptr;
    scan((void *)&lowest, context);
}

extern "C" uint64_t porter_clock_ns(void) {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

extern "C" void *porter_private(const void *pointer) {
    return (void *)pointer;
}

extern "C" uint32_t porter_own(const void *base, const void *pointer) {
    return (uint32_t)((const char *)pointer - (const char *)base);
}

extern "C" uint64_t porter_own_load(const void *base, uint32_t own, int32_t offset) {
    return *(const uint64_t *)((const char *)base + (int32_t)own + offset);
}

extern "C" void porter_own_store(void *base, uint32_t own, int32_t offset, uint64_t value) {
    *(uint64_t *)((char *)base + (int32_t)own + offset) = value;
}

extern "C" int porter_prefers_words(void) {
    return 0;
}

extern "C" void porter_trace_bytecode(const void *, int) {}

extern "C" bool porter_parted(unsigned int) {
    return false;
}

extern "C" bool porter_meet(uint32_t *, uint32_t, uint32_t) {
    return true;
}

extern "C" void porter_native_join(bool) {}

extern "C" uint32_t porter_native_begin(const uint32_t *, bool) {
    return 0;
}

extern "C" void porter_native_end(const uint32_t *, uint32_t) {}

extern "C" bool porter_native_holds(uint32_t *, bool) {
    return false;
}

extern "C" uint32_t porter_peek(const volatile uint32_t *word) {
    return *word;
}

extern "C" int porter_native(void) {
    return 0;
}

extern "C" void *porter_native_run(uint64_t) {
    return nullptr;
}

extern "C" {
void porter_profile_allocates(unsigned long) {}
void porter_profile_code(const void *) {}
void porter_profile_leave(const void *) {}
}

extern "C" void *porter_profile_frame(
    const void *, const void *, const void *, const void *) {
    return nullptr;
}

extern "C" void porter_profile_bytecode(void *, const void *) {}
extern "C" void porter_profile_collects(void) {}

extern "C" unsigned int porter_register_bytes(void) {
    return sizeof(void *);
}

extern "C" void porter_pause(void) {
    usleep(50);
}

// There is only one interpreter, so these hooks need not wait or yield.
extern "C" void porter_give_way(void) {}

extern "C" bool porter_polled_lately() {
    return false;
}

extern "C" void porter_release_waiting(const unsigned int *) {}

extern "C" void porter_restart_hold(void) {}

extern "C" void porter_yield(void) {}
extern "C" void porter_syncthreads(uint64_t) {}

#define PORTER_DEVICE
#include "atomics.inc"

extern "C" void porter_lend(const void *, uint64_t, int) {}
extern "C" void porter_keep(const void *, uint64_t, int) {}
extern "C" void porter_drop(const void *, uint64_t) {}

extern "C" void porter_console(const char *text, unsigned long size) {
    fwrite(text, 1, size, stdout);
}

extern "C" void porter_print(const char *text, unsigned long size) {
    fwrite(text, 1, size, stdout);
}

extern "C" void porter_trust(bool trusted) {
    (void)trusted;
}

extern "C" int porter_refused(void) {
    return 0;
}

extern "C" void porter_publish(void) {
    __sync_synchronize();
}

extern "C" [[noreturn]] void porter_fatal(const char *message) {
    fprintf(stderr, "fatal: %s\n", message);
    abort();
}

static volatile uint32_t interrupt_word;

// SIGINT interrupts once; SIGALRM, the time limit, stops the interpreter.
static void on_signal(int number) {
    interrupt_word = number == SIGALRM ? GPUSNEK_INTERRUPT_STOP : 1;
}

static std::string read_file(const char *path) {
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (file == nullptr) {
        perror(path);
        exit(64);
    }
    std::string text;
    char part[65536];
    for (size_t n; (n = fread(part, 1, sizeof part, file)) > 0;) {
        text.append(part, n);
    }
    if (file != stdin) {
        fclose(file);
    }
    return text;
}

struct Options {
    size_t heap = 1 << 20;
    size_t pystack = 64 << 10;
    size_t stack = 256 << 10;
    size_t fs_size = 0;
    uint32_t fs_block = 4096;
    uint32_t fail = 0;
    uint32_t flags = 0;
    unsigned timeout = 0;
    int kind = GPUSNEK_FILE;
    const char *fs_image = nullptr;
    const char *input = nullptr;
    const char *setup = nullptr;
    bool merge = false;
    const char *name = nullptr;
    const char *compile = nullptr; // a file for the source's code, which then does not run
    const char *source = nullptr;
};

[[noreturn]] static void usage() {
    fputs("usage: reference [--heap N] [--pystack N] [--stack N] [--fs IMAGE | --fs-size N]\n"
          "    [--fs-block N] [--stdin FILE] [--setup FILE] [--name NAME] [--timeout SECONDS]\n"
          "    [--fail N] [--gc-stress] [--merge] [--single | --eval] [--compile OUT] FILE\n",
        stderr);
    exit(64);
}

static Options parse_options(int argc, char **argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        std::string word = argv[i];
        auto value = [&]() -> const char * { return ++i < argc ? argv[i] : (usage(), nullptr); };
        if (word == "--heap") options.heap = strtoul(value(), nullptr, 0);
        else if (word == "--pystack") options.pystack = strtoul(value(), nullptr, 0);
        else if (word == "--stack") options.stack = strtoul(value(), nullptr, 0);
        else if (word == "--fs") options.fs_image = value();
        else if (word == "--fs-size") options.fs_size = strtoul(value(), nullptr, 0);
        else if (word == "--fs-block") options.fs_block = (uint32_t)strtoul(value(), nullptr, 0);
        else if (word == "--stdin") options.input = value();
        else if (word == "--setup") options.setup = value();
        else if (word == "--merge") options.merge = true;
        else if (word == "--name") options.name = value();
        else if (word == "--timeout") options.timeout = (unsigned)strtoul(value(), nullptr, 0);
        else if (word == "--fail") options.fail = (uint32_t)strtoul(value(), nullptr, 0);
        else if (word == "--gc-stress") options.flags |= GPUSNEK_GC_STRESS;
        else if (word == "--compile") options.compile = value();
        else if (word == "--single") options.kind = GPUSNEK_SINGLE;
        else if (word == "--eval") options.kind = GPUSNEK_EVAL;
        else if (!options.source && (word[0] != '-' || word == "-")) options.source = argv[i];
        else usage();
    }
    if (options.source == nullptr) {
        usage();
    }
    return options;
}

// The buffer of an output stream, larger than the output of any test.
struct Output {
    std::vector<char> data = std::vector<char>(16 << 20);
    size_t length = 0;
    gpusnek_output_t record() { return {data.data(), data.size(), &length}; }
    void show(FILE *file) const {
        fwrite(data.data(), 1, length < data.size() ? length : data.size(), file);
    }
};

// Writes the code of the last gpusnek_exec with GPUSNEK_COMPILE to a file. Returns a status.
static int write_code(const char *path) {
    int status = GPUSNEK_OK;
    uint64_t size = 0;
    if (gpusnek_value(&status, &size) != GPUSNEK_VALUE_BYTES) {
        return status == GPUSNEK_OK ? GPUSNEK_EXCEPTION : status;
    }
    std::vector<char> code(size);
    gpusnek_value_data(code.data());
    FILE *file = fopen(path, "wb");
    if (file == nullptr || fwrite(code.data(), 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        exit(64);
    }
    return GPUSNEK_OK;
}

int main(int argc, char **argv) {
    Options options = parse_options(argc, argv);
    std::string source = read_file(options.source);
    std::string setup = options.setup ? read_file(options.setup) : std::string();
    std::string input = options.input ? read_file(options.input) : std::string();
    std::string image =
        options.fs_image ? read_file(options.fs_image) : std::string(options.fs_size, '\xff');
    std::vector<uint64_t> heap(options.heap / 8), pystack(options.pystack / 8);
    Output out, err;
    size_t input_position = 0;

    gpusnek_boot_t boot = {};
    boot.total = 1;
    boot.flags = options.flags;
    boot.heap = heap.data();
    boot.heap_size = heap.size() * 8;
    boot.pystack = pystack.data();
    boot.pystack_size = pystack.size() * 8;
    boot.fs = image.data();
    boot.fs_size = image.size();
    boot.fs_block_size = options.fs_block;
    boot.fail_allocation = options.fail;
    boot.flags |= options.fs_image ? GPUSNEK_FS_MOUNT : 0;

    gpusnek_io_t io = {};
    io.in = {input.data(), input.size(), &input_position};
    io.out = out.record();
    io.err = (options.merge ? out : err).record(); // one buffer preserves the order of both streams
    io.stack_top = __builtin_frame_address(0);
    io.stack_size = options.stack;
    io.epoch_ns = (uint64_t)time(nullptr) * 1000000000;
    io.interrupt = &interrupt_word;
    signal(SIGINT, on_signal);
    signal(SIGALRM, on_signal);
    alarm(options.timeout);

    gpusnek_attach(&io);
    int status = gpusnek_start(&boot);
    if (status == GPUSNEK_OK && options.setup != nullptr) {
        status = gpusnek_exec(setup.data(), setup.size(), GPUSNEK_FILE, "<setup>");
    }
    if (status == GPUSNEK_OK) {
        const char *name = options.name ? options.name : options.source;
        const int kind = options.kind | (options.compile ? GPUSNEK_COMPILE : 0);
        status = gpusnek_exec(source.data(), source.size(), kind, name);
    }
    if (status == GPUSNEK_OK && options.compile) {
        status = write_code(options.compile);
    }
    int code = status == GPUSNEK_EXIT ? gpusnek_exit_code() : status;
    gpusnek_stop();
    out.show(stdout);
    err.show(stderr);
    return code;
}
