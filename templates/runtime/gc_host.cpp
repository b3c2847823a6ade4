// The way into the collector on the host twin, in a unit of its own so that nothing inlines it.
// The scan starts below the frame that holds the registers, so it sees them.
static __attribute__((noinline)) void below(
    void (*scan)(void *lowest, void *context), void *context) {
    scan(__builtin_frame_address(0), context);
    asm volatile("" ::: "memory"); // no tail call: this frame must stand while scan runs
}

extern "C" __attribute__((noinline)) void porter_gc_flush(
    void (*scan)(void *lowest, void *context), void *context) {
    __builtin_unwind_init(); // puts every callee-saved register into this frame
    below(scan, context);
    asm volatile("" ::: "memory");
}
