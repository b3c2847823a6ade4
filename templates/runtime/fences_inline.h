// The fast part of the bounds checks of the host twin, in the place of each call that g++ inserts.
//
// g++ offers its inserted checks as calls only, or as reads of a shadow memory that knows no
// interpreters. So this header, which rewritten units include first, defines an assembler macro with
// the name of the instruction `call`. The macro writes comparisons before the call of a check, and
// the instruction itself (`callq`) for any other call. As g++ expects a call, the macro may change
// the registers that a function may change. The address is in %rdi.
//
// A comparison permits addresses from a lowest one, as many as its room (fences_host.h). The first
// one is with the interpreter's arena. The others, and the call of the check that decides about any
// other access, follow the unit's functions (subsection 1), so that the way of most accesses has no
// jump. Each place has comparisons of its own, because processors predict each jump by its address:
// in a function that all places call, one jump would go the way of constants for one of them, and
// the way of bytecode for the next. The jump behind the call tells check_locations.py the place of
// the check.
#if defined(__x86_64__) && defined(__ELF__)

// Pairs of a lowest address and a room, by offsets of porter_bounds_t; fences_host.cpp asserts them.
#define PORTER_AT_CONSTANTS "56, 64"
#define PORTER_AT_RECENT(room) "72, 80 + " room
#define PORTER_AT_OLDER(room) "120, 128 + " room
#define PORTER_AT_ABOVE "24, 32"
#define PORTER_AT_STACK "40, 48"

// `room`: the offset of the width's element of porter_recent_t.room.
#define PORTER_LOADS(function, room) \
    PORTER_INLINE_CHECK(function, "8", PORTER_AT_CONSTANTS ", " PORTER_AT_RECENT(room) ", " \
        PORTER_AT_OLDER(room) ", " PORTER_AT_STACK)
#define PORTER_STORES(function) \
    PORTER_INLINE_CHECK(function, "16", PORTER_AT_ABOVE ", " PORTER_AT_STACK)

#define PORTER_INLINE_CHECK(function, room, others) \
    "    .ifc \\target," function "@PLT\n" \
    "        porter_check " room ", " function ", " others "\n" \
    "        .exitm\n" \
    "    .endif\n"

__asm__(".macro porter_within low, room\n"
        "    movq %rdi, %rdx\n"
        "    subq %fs:\\low(%rax), %rdx\n"
        "    cmpq %fs:\\room(%rax), %rdx\n"
        ".endm\n"
        ".macro porter_either low, room, others:vararg\n"
        "    porter_within \\low, \\room\n"
        "    jb 77b\n"
        "    .ifnb \\others\n"
        "        porter_either \\others\n"
        "    .endif\n"
        ".endm\n"
        ".macro porter_check room, function, others:vararg\n"
        "    movq porter_bounds@gottpoff(%rip), %rax\n"
        "    porter_within 0, \\room\n"
        "    jae 78f\n"
        "77:\n"
        "    .subsection 1\n"
        "78:\n"
        "    porter_either \\others\n"
        "    callq \\function@PLT\n"
        "    jmp 77b\n"
        "    .subsection 0\n"
        ".endm\n"
        ".macro call target:vararg\n"
        PORTER_LOADS("__asan_load1_noabort", "0")
        PORTER_LOADS("__asan_load2_noabort", "8")
        PORTER_LOADS("__asan_load4_noabort", "16")
        PORTER_LOADS("__asan_load8_noabort", "24")
        PORTER_LOADS("__asan_load16_noabort", "32")
        PORTER_STORES("__asan_store1_noabort")
        PORTER_STORES("__asan_store2_noabort")
        PORTER_STORES("__asan_store4_noabort")
        PORTER_STORES("__asan_store8_noabort")
        PORTER_STORES("__asan_store16_noabort")
        "    callq \\target\n"
        ".endm\n");

#endif
