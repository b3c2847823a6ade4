// The fast part of the bounds checks of the host twin, in the place of each call that g++ inserts.
//
// g++ offers its inserted checks as calls only, or as reads of a shadow memory that knows no
// interpreters. So this header, which rewritten units include first, defines an assembler macro with
// the name of the instruction `call`. The macro writes two comparisons before the call of a check,
// and the instruction itself (`callq`) for any other call. As g++ expects a call, the macro may
// change the registers that a function may change. The address is in %rdi.
//
// A load between the first bytes of the arena and `loads` bytes later, and a store before `stores`
// bytes, is permitted (fences_host.h: offsets 0, 8 and 16 of porter_bounds). The check itself, which
// is called otherwise, decides about any other access. Its return address is the place that a
// message reports, so check_locations.py finds it like the call that g++ wrote.
#if defined(__x86_64__) && defined(__ELF__)

#define PORTER_INLINE_CHECK(function, room) \
    "    .ifc \\target," function "@PLT\n" \
    "        porter_check " room ", " function "\n" \
    "        .exitm\n" \
    "    .endif\n"

__asm__(".macro porter_check room, function\n"
        "    movq porter_bounds@gottpoff(%rip), %rax\n"
        "    movq %rdi, %rdx\n"
        "    subq %fs:(%rax), %rdx\n"
        "    cmpq %fs:\\room(%rax), %rdx\n"
        "    jb 77f\n"
        "    callq \\function@PLT\n"
        "77:\n"
        ".endm\n"
        ".macro call target:vararg\n"
        PORTER_INLINE_CHECK("__asan_load1_noabort", "8")
        PORTER_INLINE_CHECK("__asan_load2_noabort", "8")
        PORTER_INLINE_CHECK("__asan_load4_noabort", "8")
        PORTER_INLINE_CHECK("__asan_load8_noabort", "8")
        PORTER_INLINE_CHECK("__asan_load16_noabort", "8")
        PORTER_INLINE_CHECK("__asan_store1_noabort", "16")
        PORTER_INLINE_CHECK("__asan_store2_noabort", "16")
        PORTER_INLINE_CHECK("__asan_store4_noabort", "16")
        PORTER_INLINE_CHECK("__asan_store8_noabort", "16")
        PORTER_INLINE_CHECK("__asan_store16_noabort", "16")
        "    callq \\target\n"
        ".endm\n");

#endif
