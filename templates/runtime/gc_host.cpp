// Entry of the garbage collector on the host twin: store all callee-saved registers in a frame and
// scan the C stack from below it. The file is a unit of its own so that no caller inlines it.
static __attribute__((noinline)) void below(
    void (*scan)(void *lowest, void *context), void *context) {
    scan(__builtin_frame_address(0), context);
    asm volatile("" ::: "memory"); // prevents a tail call: the frame must exist while scan runs
}

extern "C" __attribute__((noinline)) void porter_gc_flush(
    void (*scan)(void *lowest, void *context), void *context) {
    __builtin_unwind_init(); // stores every callee-saved register in this frame
    below(scan, context);
    asm volatile("" ::: "memory");
}
