// Verification of untrusted bytecode, third pass: abstract interpretation of a function. It
// computes the types of the values on the stack, and the exception handlers, before each reachable
// instruction.
//
// Problem: the VM trusts its stack. The iterator of a `for` loop occupies four slots. An exception
// handler resets the stack to the depth at which it was set up. A `finally` expects its cause on
// the stack: an exception, None, or a return value or jump.
//
// Mechanism: a worklist of jump targets. The state of a target is the join of the states that reach
// it. From a target on, instructions are executed on types, up to the next target or the end of the
// path. States that are joined must agree in depth and handlers.
//
// Progress: a join replaces types by more general ones only, and the lattice has a finite height.
// The number of steps is bounded by STEPS_PER_BYTE as well.
//
// Invariants, on which the VM (py/vm.c) relies:
//   V1  Each slot that an instruction pops has a type that the instruction accepts.
//   V2  The slots of the stack and of the local variables do not overlap.
//   V3  An inactive handler is after the current instruction, and an active one is not: the VM
//       distinguishes them by their addresses. A handler becomes active only at its first
//       instruction, and only the innermost one.
//   V4  Slots below the depth of an inactive handler (`floor`) are not popped, so their types are
//       those at the time when the handler was set up.
//   V5  Each active `finally` has its cause on the stack until END_FINALLY, in the slot where the
//       handler was entered (`cause_slot`). No other instruction pops or moves the cause.
//   V6  A method and its first argument stay adjacent until CALL_METHOD, because a function of a
//       builtin type does not check its first argument in this call.
//   V7  A local variable that is used as a cell is a cell in every call: the prelude makes it one,
//       or the closure passes it, and no instruction stores to it.
#include "verify.h"

#include <string.h>

#include "py/emitglue.h"

#if GPUSNEK_PATCH_VERIFIED_CODE

#define ITERATOR_SLOTS (MP_OBJ_ITER_BUF_NSLOTS)
#define STEPS_PER_BYTE (64) // bound of the work; code of upstream's compiler takes less than four
#define STEPS_AT_LEAST (4096) // added to this bound, for short functions
#define SETUP_WITH_SLOTS (2) // slots above the methods that the VM uses while it calls __enter__
#define UNWIND_SLOTS (2) // slots that UNWIND_JUMP pushes
#define CLEANUP_SLOTS (3) // arguments of __exit__; the first one is in the slot of the cause
#define MOST_PASSED (0xffff) // the largest operand of a call: two counts of eight bits

// Types of values, objects first. A slot has the type in its low byte, and a number in its high
// byte: the length of a TUPLE, or the local variable of an ARGUMENT.
typedef uint16_t slot_t;
enum {
    OBJECT,
    NONE,
    EXCEPTION,
    NONE_OR_EXCEPTION,
    INTEGER, // small
    NAME, // a str that is a qstr
    LIST,
    DICT,
    SET,
    TUPLE,
    ARGUMENT, // an argument to which no instruction stores; a cell if a closure passes one
    CELL,
    LAST_OBJECT = CELL,
    NO_VALUE, // MP_OBJ_NULL
    MAYBE_NO_VALUE, // an object or MP_OBJ_NULL
    METHOD, // a function that does not check the type of its first argument
    SELF, // the first argument of the METHOD below it, or MP_OBJ_NULL
    ITERATOR, // the first of four slots of an iterator; the types of the others follow
    CAUSE_OF_ONE = ITERATOR + ITERATOR_SLOTS, // a cause of `finally`: None or an exception
    CAUSE_OF_TWO, // a cause in two slots: a return value or jump target, and the cause's number
    CAUSE, // CAUSE_OF_ONE or CAUSE_OF_TWO
};

enum { EXCEPT, FINALLY, ASYNC, WITH }; // types of handlers

// An exception handler that is set up.
typedef struct {
    uint32_t handler; // offset of its first instruction
    uint16_t depth; // of the stack where it was set up, slots
    uint8_t type;
    bool active; // whether the handler's code is running
} block_t;

// The abstract state before an instruction: stack and handlers. In a stored state the slots are
// behind the blocks, in one allocation.
typedef struct {
    uint32_t depth; // slots
    uint32_t count; // blocks
    slot_t *slots;
    block_t *blocks;
} state_t;

// A jump target.
typedef struct {
    uint32_t offset;
    bool is_queued;
    state_t *state; // the join of all states that reached it; NULL: not reached yet
} target_t;

// The abstract interpreter of one function.
typedef struct {
    verify_t *of;
    uint32_t limit; // slots of the frame that the stack may use (V2)
    uint32_t wide; // slots of the abstract stack that may use two slots of the frame
    uint32_t floor; // V4
    state_t now; // the current state
    target_t *targets; // sorted by offset
    uint32_t target_count;
    uint32_t *queue; // indexes of targets whose state changed
    uint32_t queued;
} flow_t;

static slot_t slot(unsigned int type, uint32_t number) {
    return (slot_t)(type | number << 8);
}

static unsigned int type_of(slot_t value) {
    return value & 0xff;
}

static uint32_t number_of(slot_t value) {
    return value >> 8;
}

static bool is_object(slot_t value) {
    return type_of(value) <= LAST_OBJECT;
}

static bool is_cause(slot_t value) {
    return type_of(value) >= CAUSE_OF_ONE;
}

static bool is_none_or_exception(slot_t value) {
    const unsigned int type = type_of(value);
    return type == NONE || type == EXCEPTION || type == NONE_OR_EXCEPTION;
}

// Returns whether a value of this type may use two slots of the frame.
static bool is_wide(slot_t value) {
    return type_of(value) == CAUSE || type_of(value) == CAUSE_OF_TWO;
}

// Returns whether an instruction may store the value; MP_OBJ_NULL means `del`.
static bool may_be_no_value(slot_t value) {
    return is_object(value) || type_of(value) == NO_VALUE || type_of(value) == MAYBE_NO_VALUE;
}

// ---- The stack ----
// Each function raises ValueError if the stack overflows, underflows, or has a wrong type (V1).

static void need_room(const flow_t *flow, uint32_t slots) {
    gpusnek_verify_need((uint64_t)flow->now.depth + flow->wide + slots <= flow->limit);
}

static void push(flow_t *flow, slot_t value) {
    flow->wide += is_wide(value);
    need_room(flow, 1);
    flow->now.slots[flow->now.depth++] = value;
}

static slot_t peek(const flow_t *flow, uint32_t below) {
    gpusnek_verify_need(below < flow->now.depth);
    return flow->now.slots[flow->now.depth - 1 - below];
}

static slot_t pop(flow_t *flow) {
    gpusnek_verify_need(flow->now.depth > flow->floor);
    const slot_t value = flow->now.slots[--flow->now.depth];
    flow->wide -= is_wide(value);
    return value;
}

static slot_t pop_object(flow_t *flow) {
    const slot_t value = pop(flow);
    gpusnek_verify_need(is_object(value));
    return value;
}

static void pop_objects(flow_t *flow, uint32_t count) {
    gpusnek_verify_need(count <= flow->now.depth);
    for (uint32_t i = 0; i < count; i++) {
        pop_object(flow);
    }
}

static void pop_type(flow_t *flow, unsigned int type) {
    gpusnek_verify_need(type_of(pop(flow)) == type);
}

static void pop_maybe_no_value(flow_t *flow) {
    gpusnek_verify_need(may_be_no_value(pop(flow)));
}

static void push_method(flow_t *flow) {
    push(flow, METHOD);
    push(flow, SELF);
}

static void pop_method(flow_t *flow) {
    pop_type(flow, SELF);
    pop_type(flow, METHOD);
}

// Pops `count` objects and pushes one.
static void operate(flow_t *flow, uint32_t count) {
    pop_objects(flow, count);
    push(flow, OBJECT);
}

static void push_objects(flow_t *flow, uint32_t count) {
    need_room(flow, count);
    for (uint32_t i = 0; i < count; i++) {
        push(flow, OBJECT);
    }
}

// ---- Handlers ----

// Recomputes `floor`, the largest depth of the inactive handlers (V4).
static void find_floor(flow_t *flow) {
    flow->floor = 0;
    for (uint32_t i = 0; i < flow->now.count; i++) {
        const block_t *block = &flow->now.blocks[i];
        if (!block->active) {
            flow->floor = MAX(flow->floor, block->depth);
        }
    }
}

static void count_wide(flow_t *flow) {
    flow->wide = 0;
    for (uint32_t i = 0; i < flow->now.depth; i++) {
        flow->wide += is_wide(flow->now.slots[i]);
    }
}

static block_t *innermost(const flow_t *flow) {
    gpusnek_verify_need(flow->now.count > 0);
    return &flow->now.blocks[flow->now.count - 1];
}

static void pop_block(flow_t *flow) {
    innermost(flow);
    flow->now.count--;
    find_floor(flow);
}

// Returns the slot in which END_FINALLY finds the cause (V5). WITH_CLEANUP moves the cause down by
// two slots. The code of an `async with` moves it to the slot of the context manager.
static uint32_t cause_slot(const block_t *block) {
    return block->depth - (block->type == WITH ? 2 : block->type == ASYNC ? 1 : 0);
}

// ---- States at jump targets ----

// Returns the least general type that includes both. Raises ValueError if no type does.
static slot_t join(slot_t one, slot_t other) {
    if (one == other) {
        return one;
    }
    if (is_none_or_exception(one) && is_none_or_exception(other)) {
        return NONE_OR_EXCEPTION;
    }
    if (is_cause(one) || is_cause(other)) {
        gpusnek_verify_need((is_cause(one) || is_none_or_exception(one))
            && (is_cause(other) || is_none_or_exception(other)));
        return is_wide(one) || is_wide(other) ? CAUSE : CAUSE_OF_ONE;
    }
    if (is_object(one) && is_object(other)) {
        return OBJECT;
    }
    gpusnek_verify_need(may_be_no_value(one) && may_be_no_value(other));
    return MAYBE_NO_VALUE;
}

// Returns the target at an offset, by bisection. Raises ValueError if there is no target there.
static target_t *find_target(const flow_t *flow, uint32_t offset) {
    uint32_t low = 0;
    uint32_t high = flow->target_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (flow->targets[middle].offset < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    gpusnek_verify_need(low < flow->target_count && flow->targets[low].offset == offset);
    return &flow->targets[low];
}

static void enqueue(flow_t *flow, target_t *target) {
    if (!target->is_queued) {
        target->is_queued = true;
        flow->queue[flow->queued++] = (uint32_t)(target - flow->targets);
    }
}

static void copy_state(state_t *to, const state_t *from) {
    to->depth = from->depth;
    to->count = from->count;
    memcpy(to->slots, from->slots, from->depth * sizeof(slot_t));
    memcpy(to->blocks, from->blocks, from->count * sizeof(block_t));
}

static size_t size_of_state(const state_t *state) {
    return sizeof(state_t) + state->count * sizeof(block_t) + state->depth * sizeof(slot_t);
}

// Returns a copy of a state in one allocation. Raises MemoryError.
static state_t *store_state(const state_t *from) {
    const size_t blocks = from->count * sizeof(block_t);
    byte *memory = m_new(byte, size_of_state(from));
    state_t *state = (state_t *)memory;
    state->blocks = (block_t *)(memory + sizeof(state_t));
    state->slots = (slot_t *)(memory + sizeof(state_t) + blocks);
    copy_state(state, from);
    return state;
}

static bool is_same_block(const block_t *one, const block_t *other) {
    return one->handler == other->handler && one->depth == other->depth && one->type == other->type
           && one->active == other->active;
}

// Joins `from` into the target's state, and enqueues the target if its state changed.
static void reach(flow_t *flow, target_t *target, const state_t *from) {
    if (target->state == NULL) {
        target->state = store_state(from);
        enqueue(flow, target);
        return;
    }
    state_t *state = target->state;
    gpusnek_verify_need(state->depth == from->depth && state->count == from->count);
    for (uint32_t i = 0; i < from->count; i++) {
        gpusnek_verify_need(is_same_block(&state->blocks[i], &from->blocks[i]));
    }
    for (uint32_t i = 0; i < from->depth; i++) {
        const slot_t joined = join(state->slots[i], from->slots[i]);
        if (joined != state->slots[i]) {
            state->slots[i] = joined;
            enqueue(flow, target);
        }
    }
}

// Adds a control flow edge from the current instruction to `offset`, with the current state. An
// edge to the first instruction of the innermost inactive handler activates it in the target's
// state (V3). No edge may pass an inactive handler, or leave an active one backwards.
static void lead(flow_t *flow, uint32_t offset) {
    gpusnek_verify_need(flow->of->marks[offset] & VERIFY_START);
    for (uint32_t i = 0; i < flow->now.count; i++) {
        block_t *block = &flow->now.blocks[i];
        if (block->active) {
            gpusnek_verify_need(offset >= block->handler);
        } else {
            gpusnek_verify_need(offset <= block->handler);
        }
    }
    block_t *last = flow->now.count ? &flow->now.blocks[flow->now.count - 1] : NULL;
    const bool enters = last != NULL && !last->active && last->handler == offset;
    gpusnek_verify_need(!enters || last->type != ASYNC); // its code does not expect None as a cause
    for (uint32_t i = 0; i + 1 < flow->now.count; i++) {
        const block_t *block = &flow->now.blocks[i];
        gpusnek_verify_need(block->active || block->handler != offset);
    }
    if (enters) {
        last->active = true;
        reach(flow, find_target(flow, offset), &flow->now);
        last->active = false;
    } else {
        reach(flow, find_target(flow, offset), &flow->now);
    }
}

// ---- `async with` ----

// Upstream's compiler tests whether the cause is an exception by DUP_TOP, LOAD_GLOBAL
// BaseException, BINARY_OP and POP_JUMP_IF_FALSE. A program can assign to BaseException, and then
// the test would mistake an exception for a cause of two slots. So LOAD_GLOBAL is replaced, in the
// bytes that are loaded, by LOAD_NULL and ROT_TWOs of the same total size. A comparison with
// MP_OBJ_NULL is true for exceptions only (patch `verified-code`).
//
// Returns whether the handler at `offset` begins with this test. *jump: its last instruction.
static bool is_async_handler(const flow_t *flow, uint32_t offset, verify_instruction_t *jump) {
    const verify_t *of = flow->of;
    verify_instruction_t at;
    gpusnek_verify_decode(of, offset, &at);
    if (at.op != MP_BC_DUP_TOP) {
        return false;
    }
    const uint32_t first = at.next;
    gpusnek_verify_decode(of, first, &at);
    const bool is_global = at.op == MP_BC_LOAD_GLOBAL;
    gpusnek_verify_need(is_global || at.op == MP_BC_LOAD_NULL);
    const uint32_t second = at.next;
    gpusnek_verify_decode(of, at.next, &at);
    while (at.op == MP_BC_ROT_TWO) {
        gpusnek_verify_decode(of, at.next, &at);
    }
    gpusnek_verify_need(at.op == MP_BC_BINARY_OP_MULTI + MP_BINARY_OP_EXCEPTION_MATCH);
    gpusnek_verify_need(!is_global || at.at == second);
    gpusnek_verify_decode(of, at.next, jump);
    gpusnek_verify_need(jump->op == MP_BC_POP_JUMP_IF_FALSE);
    for (uint32_t i = first; i <= jump->at; i++) { // no jump leads into the middle
        gpusnek_verify_need(!(of->marks[i] & VERIFY_TARGET));
    }
    if (is_global) {
        of->code[first] = MP_BC_LOAD_NULL;
        for (uint32_t i = first + 1; i < second; i++) {
            of->code[i] = MP_BC_ROT_TWO;
            of->marks[i] |= VERIFY_START;
        }
    }
    return true;
}

// Executes the test at the start of the handler at `offset`, DUP_TOP to POP_JUMP_IF_FALSE. If it
// jumps, the cause has two slots, otherwise it is an exception. Returns the offset of the next
// instruction.
static uint32_t tell_causes(flow_t *flow, uint32_t offset) {
    const block_t *block = innermost(flow);
    verify_instruction_t jump;
    gpusnek_verify_need(block->type == ASYNC && block->active && block->handler == offset);
    gpusnek_verify_need(is_async_handler(flow, offset, &jump));
    need_room(flow, 2); // both operands of the comparison
    pop(flow);
    push(flow, CAUSE_OF_TWO);
    lead(flow, jump.target);
    pop(flow);
    push(flow, EXCEPTION);
    return jump.next;
}

// Executes ROT_TWO at the end of the body: it exchanges None, the cause, and the context manager.
// The next instruction jumps into the handler, behind its test of the cause.
static void leave_async(flow_t *flow, const verify_instruction_t *rotate) {
    block_t *block = innermost(flow);
    verify_instruction_t jump;
    gpusnek_verify_decode(flow->of, rotate->next, &jump);
    gpusnek_verify_need(block->type == ASYNC && !block->active && flow->now.depth == block->depth + 1u);
    gpusnek_verify_need(jump.op == MP_BC_JUMP && jump.target > block->handler);
    gpusnek_verify_need(!(flow->of->marks[jump.at] & VERIFY_TARGET));
    gpusnek_verify_need(type_of(peek(flow, 0)) == NONE && is_object(peek(flow, 1)));
    slot_t *top = &flow->now.slots[flow->now.depth - 1];
    top[0] = OBJECT;
    top[-1] = NONE;
    block->active = true;
    find_floor(flow);
    lead(flow, jump.target);
}

// ---- Instructions for exceptions ----

// Adds the edge by which the VM enters handler `number`: with the stack up to the handler's depth,
// and `cause` on top.
static void enter(flow_t *flow, uint32_t number, slot_t cause) {
    block_t *block = &flow->now.blocks[number];
    const uint32_t depth = flow->now.depth;
    const uint32_t count = flow->now.count;
    gpusnek_verify_need(block->depth < flow->limit);
    slot_t *top = &flow->now.slots[block->depth];
    const slot_t above = top[0];
    const slot_t below = block->type == ASYNC ? top[-1] : OBJECT;
    top[0] = cause;
    if (block->type == ASYNC) { // leave_async() stores None in this slot
        top[-1] = OBJECT;
    }
    flow->now.depth = block->depth + 1;
    flow->now.count = number + 1;
    block->active = true;
    reach(flow, find_target(flow, block->handler), &flow->now);
    block->active = false;
    top[0] = above;
    if (block->type == ASYNC) {
        top[-1] = below;
    }
    flow->now.depth = depth;
    flow->now.count = count;
}

// Adds the edges by which a jump or return leaves the innermost `count` handlers: it enters each
// inactive `finally` first, with a cause of two slots.
static void enter_to_leave(flow_t *flow, uint32_t count) {
    for (uint32_t i = flow->now.count - count; i < flow->now.count; i++) {
        if (!flow->now.blocks[i].active && flow->now.blocks[i].type != EXCEPT) {
            enter(flow, i, flow->now.blocks[i].type == ASYNC ? CAUSE : CAUSE_OF_TWO);
        }
    }
}

// Returns the type of the handler that an instruction sets up. A SETUP_FINALLY whose handler begins
// with the test of is_async_handler() is that of an `async with`.
static uint8_t type_of_handler(flow_t *flow, const verify_instruction_t *at) {
    verify_instruction_t jump;
    if (at->op == MP_BC_SETUP_WITH) {
        return WITH;
    }
    if (at->op == MP_BC_SETUP_EXCEPT) {
        return EXCEPT;
    }
    if (!is_async_handler(flow, at->target, &jump)) {
        return FINALLY;
    }
    gpusnek_verify_need(flow->now.depth > flow->floor && is_object(peek(flow, 0)));
    return ASYNC;
}

// Sets up a handler. Any of the following instructions may raise, and the handler's state does not
// depend on which (V4), so the edge to the handler is added here.
static void set_up(flow_t *flow, const verify_instruction_t *at) {
    gpusnek_verify_need(flow->now.count < flow->of->handlers && at->target >= at->next);
    gpusnek_verify_need((flow->of->marks[at->target] & VERIFY_START) != 0);
    for (uint32_t i = 0; i < flow->now.count; i++) { // V3, for the enclosing handlers
        const block_t *outer = &flow->now.blocks[i];
        gpusnek_verify_need(outer->active || outer->handler > at->target);
    }
    const uint8_t type = type_of_handler(flow, at);
    block_t block = { at->target, (uint16_t)flow->now.depth, type, false };
    flow->now.blocks[flow->now.count++] = block;
    enter(flow, flow->now.count - 1,
        type == EXCEPT ? EXCEPTION : type == ASYNC ? CAUSE : CAUSE_OF_ONE);
    find_floor(flow);
}

// Executes SETUP_WITH: replaces the context manager by its __exit__ method, sets up the handler,
// and pushes the result of __enter__.
static void set_up_with(flow_t *flow, const verify_instruction_t *at) {
    pop_object(flow);
    push_method(flow); // __exit__
    need_room(flow, SETUP_WITH_SLOTS);
    set_up(flow, at);
    push(flow, OBJECT);
}

// Executes WITH_CLEANUP: calls __exit__, removes it, and leaves the cause or None on top.
static void clean_up_with(flow_t *flow) {
    const block_t *block = innermost(flow);
    gpusnek_verify_need(block->type == WITH && block->active && flow->now.depth == block->depth + 1u);
    const slot_t cause = pop(flow);
    gpusnek_verify_need(is_cause(cause) || is_none_or_exception(cause));
    need_room(flow, CLEANUP_SLOTS);
    pop_method(flow);
    push(flow, is_cause(cause) ? cause : slot(NONE_OR_EXCEPTION, 0));
}

// Executes END_FINALLY. Returns whether execution can continue with the next instruction, because
// the cause may be None.
static bool end_finally(flow_t *flow) {
    const block_t block = *innermost(flow);
    gpusnek_verify_need(block.active && flow->now.depth == cause_slot(&block) + 1);
    const slot_t cause = pop(flow);
    const unsigned int type = type_of(cause);
    if (block.type == EXCEPT) {
        gpusnek_verify_need(type == EXCEPTION);
    } else {
        gpusnek_verify_need(is_cause(cause) || is_none_or_exception(cause));
    }
    pop_block(flow);
    return type != EXCEPTION && type != CAUSE_OF_TWO;
}

// Leaves the innermost handler by a jump. The VM removes the cause of an active `finally`. An
// inactive one runs, and the jump continues with the stack at its END_FINALLY.
static void unwind(flow_t *flow) {
    const block_t block = *innermost(flow);
    if (block.type != EXCEPT && block.active) {
        gpusnek_verify_need(flow->now.depth == cause_slot(&block) + 1 && is_cause(peek(flow, 0)));
        pop(flow);
    } else if (block.type != EXCEPT) {
        gpusnek_verify_need(flow->now.depth == block.depth);
        flow->now.depth = cause_slot(&block);
        count_wide(flow);
    }
    pop_block(flow);
}

// Executes UNWIND_JUMP: leaves handlers, and a `for` loop if the extra byte says so, by a jump.
static void unwind_jump(flow_t *flow, const verify_instruction_t *at) {
    need_room(flow, UNWIND_SLOTS);
    gpusnek_verify_need((uint32_t)(at->extra & 0x7f) <= flow->now.count);
    enter_to_leave(flow, at->extra & 0x7f);
    for (uint32_t i = at->extra & 0x7f; i > 0; i--) {
        unwind(flow);
    }
    if (at->extra & 0x80) { // the jump leaves a `for` loop
        for (uint32_t i = 0; i < ITERATOR_SLOTS; i++) {
            gpusnek_verify_need(!is_cause(pop(flow)));
        }
    }
    lead(flow, at->target);
}

// Executes RETURN_VALUE. For each active `finally` the VM removes the slot below the value, where
// it assumes the cause. With an iterator in between it removes another slot. The stack has at least
// as many slots, because each of these handlers has its cause on it, so the removal stays inside
// the stack.
static void return_value(flow_t *flow) {
    uint32_t causes = 0;
    uint32_t active = 0;
    gpusnek_verify_need(is_object(peek(flow, 0)));
    for (uint32_t i = 0; i < flow->now.count; i++) {
        active += flow->now.blocks[i].active && flow->now.blocks[i].type != EXCEPT;
    }
    for (uint32_t i = 0; i < flow->now.depth; i++) {
        causes += is_cause(flow->now.slots[i]);
    }
    gpusnek_verify_need(active == causes);
    enter_to_leave(flow, flow->now.count);
}

// ---- Iterators ----

// Returns whether an iterator is on top: the four slots of GET_ITER_STACK, or those of a generator
// expression, which are MP_OBJ_NULL, an object and two times MP_OBJ_NULL. Upstream's mp_iternext()
// accepts any object.
static bool is_iterator(const flow_t *flow) {
    bool is_buffer = true;
    bool is_argument = true;
    for (uint32_t i = 0; i < ITERATOR_SLOTS; i++) {
        const slot_t value = peek(flow, i);
        is_buffer = is_buffer && type_of(value) == ITERATOR + ITERATOR_SLOTS - 1 - i;
        is_argument = is_argument
            && (i == ITERATOR_SLOTS - 2 ? is_object(value) : type_of(value) == NO_VALUE);
    }
    return is_buffer || is_argument;
}

// Executes FOR_ITER: pushes the next item, or pops the iterator and jumps at its end.
static void next_item(flow_t *flow, const verify_instruction_t *at) {
    gpusnek_verify_need(is_iterator(flow) && flow->now.depth >= flow->floor + ITERATOR_SLOTS);
    flow->now.depth -= ITERATOR_SLOTS;
    lead(flow, at->target);
    flow->now.depth += ITERATOR_SLOTS;
    push(flow, OBJECT);
}

static void start_iterator(flow_t *flow) {
    pop_object(flow);
    for (unsigned int i = 0; i < ITERATOR_SLOTS; i++) {
        push(flow, slot(ITERATOR + i, 0));
    }
}

// ---- Stack permutations ----

static void rotate_two(flow_t *flow) {
    const slot_t first = pop(flow);
    const slot_t second = pop(flow);
    gpusnek_verify_need(may_be_no_value(first) && may_be_no_value(second));
    push(flow, first);
    push(flow, second);
}

// Executes ROT_THREE; returns the offset of the next instruction. Two in succession move an object
// to the top from below a cause of two slots, or from below a method and its first argument.
static uint32_t rotate_three(flow_t *flow, const verify_instruction_t *at) {
    verify_instruction_t again;
    const slot_t first = pop(flow);
    const slot_t second = pop(flow);
    if (type_of(first) == CAUSE_OF_TWO || type_of(first) == SELF) {
        const slot_t object = type_of(first) == SELF ? pop_object(flow) : second;
        gpusnek_verify_decode(flow->of, at->next, &again);
        gpusnek_verify_need(again.op == MP_BC_ROT_THREE && is_object(object));
        if (type_of(first) == SELF) {
            gpusnek_verify_need(type_of(second) == METHOD);
            push(flow, second);
        }
        push(flow, first);
        push(flow, object);
        return again.next;
    }
    const slot_t third = pop(flow);
    gpusnek_verify_need(may_be_no_value(first) && may_be_no_value(second) && may_be_no_value(third));
    push(flow, first);
    push(flow, third);
    push(flow, second);
    return at->next;
}

static void duplicate(flow_t *flow, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const slot_t value = peek(flow, count - 1);
        gpusnek_verify_need(is_object(value));
        push(flow, value);
    }
}

// ---- Variables ----

// Pushes a local variable, as a CELL or ARGUMENT if it is known to be one.
static void load_local(flow_t *flow, uint32_t number) {
    const verify_t *of = flow->of;
    if (verify_bit(of->cells, number)) {
        push(flow, CELL);
    } else if (number < VERIFY_LOCALS && number < of->positional && !verify_bit(of->stored, number)) {
        push(flow, slot(ARGUMENT, number));
    } else {
        push(flow, OBJECT);
    }
}

// Requires that local variable `number` is a cell (V7): made by the prelude, or passed by the
// closure.
static void need_cell(const flow_t *flow, uint32_t number) {
    verify_t *of = flow->of;
    if (!verify_bit(of->cells, number)) {
        gpusnek_verify_need(number < UINT8_MAX && number < of->positional);
        of->free_cells = MAX(of->free_cells, number + 1);
    }
}

// ---- Functions ----

// Pops the default values of a new function: a dict of keyword defaults and a tuple, each if the
// function needs it.
static void pop_defaults(flow_t *flow, const verify_child_t *child) {
    pop_type(flow, child->flags & MP_SCOPE_FLAG_DEFKWARGS ? DICT : NO_VALUE);
    const slot_t values = pop(flow);
    if (child->defaults == 0 && type_of(values) == NO_VALUE) {
        return;
    }
    gpusnek_verify_need(values == slot(TUPLE, child->defaults));
}

// Pops the `count` variables of a new closure. A variable that the function uses as a cell must be
// a cell.
static void pop_cells(flow_t *flow, const verify_child_t *child, uint32_t count) {
    gpusnek_verify_need(count >= child->free_cells);
    for (uint32_t i = count; i-- > 0;) {
        const slot_t value = pop_object(flow);
        if (i < child->free_cells && type_of(value) != CELL) {
            gpusnek_verify_need(type_of(value) == ARGUMENT);
            need_cell(flow, number_of(value));
        }
    }
}

// Executes MAKE_FUNCTION or MAKE_CLOSURE, with or without default values.
static void make_function(flow_t *flow, const verify_instruction_t *at) {
    const verify_child_t *child = &flow->of->children[at->argument];
    const bool is_closure = at->op == MP_BC_MAKE_CLOSURE || at->op == MP_BC_MAKE_CLOSURE_DEFARGS;
    pop_cells(flow, child, is_closure ? at->extra : 0);
    if (at->op == MP_BC_MAKE_FUNCTION_DEFARGS || at->op == MP_BC_MAKE_CLOSURE_DEFARGS) {
        pop_defaults(flow, child);
    } else {
        gpusnek_verify_need(child->defaults == 0 && !(child->flags & MP_SCOPE_FLAG_DEFKWARGS));
    }
    push(flow, OBJECT);
}

// Executes a call. Keyword arguments need names. In a call with * or ** (`is_variable`) a name may
// be MP_OBJ_NULL, and an integer is on top.
static void call(flow_t *flow, const verify_instruction_t *at, bool is_method, bool is_variable) {
    gpusnek_verify_need(at->argument <= MOST_PASSED);
    if (is_variable) {
        pop_type(flow, INTEGER);
    }
    for (uint32_t i = at->argument >> 8; i > 0; i--) {
        pop_object(flow);
        const slot_t key = pop(flow);
        gpusnek_verify_need(type_of(key) == NAME || (is_variable && type_of(key) == NO_VALUE));
    }
    pop_objects(flow, at->argument & 0xff);
    if (is_method) {
        pop_method(flow);
    } else {
        pop_object(flow);
    }
    push(flow, OBJECT);
}

// ---- Containers ----

static void build(flow_t *flow, const verify_instruction_t *at, unsigned int type) {
    const uint32_t count = at->argument;
    pop_objects(flow, count);
    push(flow, type == TUPLE && count > UINT8_MAX ? slot(OBJECT, 0)
        : slot(type, type == TUPLE ? count : 0));
}

static void build_slice(flow_t *flow, const verify_instruction_t *at) {
    gpusnek_verify_need(at->next == at->at + 2 && (at->argument == 2 || at->argument == 3));
    operate(flow, at->argument);
}

// Executes STORE_COMP: adds an item to the list, dict or set of a comprehension, which is below
// iterators on the stack.
static void store_item(flow_t *flow, const verify_instruction_t *at) {
    static const uint8_t types[] = { LIST, DICT, SET };
    const uint32_t which = at->argument & 3;
    const uint32_t below = at->argument >> 2;
    gpusnek_verify_need(which < MP_ARRAY_SIZE(types) && (which < 2 || MICROPY_PY_BUILTINS_SET));
    gpusnek_verify_need(type_of(peek(flow, below)) == types[which]);
    for (uint32_t i = 0; i < below; i++) {
        gpusnek_verify_need(!is_cause(peek(flow, i)));
    }
    pop_objects(flow, which == 1 ? 2 : 1);
    gpusnek_verify_need(below >= (which == 1 ? 2u : 1u));
}

static void unpack_ex(flow_t *flow, uint32_t counts) {
    gpusnek_verify_need(counts <= MOST_PASSED);
    pop_object(flow);
    push_objects(flow, (counts & 0xff) + (counts >> 8) + 1);
}

static void need_generator(const flow_t *flow) {
    gpusnek_verify_need((flow->of->flags & MP_SCOPE_FLAG_GENERATOR) != 0);
}

// ---- Instructions ----

// Executes an instruction whose opcode includes its operand. Returns false for other opcodes.
static bool execute_family(flow_t *flow, unsigned int op) {
    if (op < MP_BC_LOAD_CONST_SMALL_INT_MULTI
        || op >= MP_BC_BINARY_OP_MULTI + MP_BC_BINARY_OP_MULTI_NUM
        || (op >= MP_BC_UNARY_OP_MULTI + MP_BC_UNARY_OP_MULTI_NUM && op < MP_BC_BINARY_OP_MULTI)) {
        return false;
    }
    if (op < MP_BC_LOAD_CONST_SMALL_INT_MULTI + MP_BC_LOAD_CONST_SMALL_INT_MULTI_NUM) {
        push(flow, INTEGER);
    } else if (op < MP_BC_LOAD_FAST_MULTI + MP_BC_LOAD_FAST_MULTI_NUM) {
        load_local(flow, op - MP_BC_LOAD_FAST_MULTI);
    } else if (op < MP_BC_STORE_FAST_MULTI + MP_BC_STORE_FAST_MULTI_NUM) {
        pop_object(flow);
    } else {
        operate(flow, op < MP_BC_UNARY_OP_MULTI + MP_BC_UNARY_OP_MULTI_NUM ? 1 : 2);
    }
    return true;
}

// Executes an instruction on types. Returns the offset of the next instruction, or 0 if the path
// ends: the first instruction, at offset 0, is never the next one. Raises ValueError for unknown
// opcodes.
static uint32_t execute(flow_t *flow, const verify_instruction_t *at) {
    const uint32_t end = 0;
    switch (at->op) {
        case MP_BC_LOAD_CONST_SMALL_INT:
            push(flow, INTEGER);
            break;
        case MP_BC_LOAD_CONST_NONE:
            push(flow, NONE);
            break;
        case MP_BC_LOAD_CONST_STRING:
            push(flow, NAME);
            break;
        case MP_BC_LOAD_NULL:
            push(flow, NO_VALUE);
            break;
        case MP_BC_LOAD_DEREF:
            need_cell(flow, at->argument);
            push(flow, OBJECT);
            break;
        case MP_BC_LOAD_CONST_FALSE:
        case MP_BC_LOAD_CONST_TRUE:
        case MP_BC_LOAD_CONST_OBJ:
        case MP_BC_LOAD_NAME:
        case MP_BC_LOAD_GLOBAL:
        case MP_BC_LOAD_BUILD_CLASS:
        #if GPUSNEK_PATCH_SYNCTHREADS
        case GPUSNEK_BC_SYNCTHREADS:
        #endif
            push(flow, OBJECT);
            break;
        case MP_BC_LOAD_FAST_N:
            load_local(flow, at->argument);
            break;
        case MP_BC_LOAD_ATTR:
        case MP_BC_GET_ITER:
            operate(flow, 1);
            break;
        case MP_BC_LOAD_METHOD:
            pop_object(flow);
            push_method(flow);
            break;
        case MP_BC_LOAD_SUPER_METHOD:
            pop_objects(flow, 3);
            push_method(flow);
            break;
        case MP_BC_LOAD_SUBSCR:
            operate(flow, 2);
            break;
        case MP_BC_STORE_DEREF:
            need_cell(flow, at->argument);
            pop_object(flow);
            break;
        case MP_BC_STORE_FAST_N:
        case MP_BC_STORE_NAME:
        case MP_BC_STORE_GLOBAL:
        case MP_BC_IMPORT_STAR:
            pop_object(flow);
            break;
        case MP_BC_STORE_ATTR:
            pop_object(flow);
            pop_maybe_no_value(flow);
            break;
        case MP_BC_STORE_SUBSCR:
            pop_objects(flow, 2);
            pop_maybe_no_value(flow);
            break;
        case MP_BC_DELETE_DEREF:
            need_cell(flow, at->argument);
            break;
        case MP_BC_DELETE_FAST:
        case MP_BC_DELETE_NAME:
        case MP_BC_DELETE_GLOBAL:
            break;
        case MP_BC_DUP_TOP:
            if (is_cause(peek(flow, 0))) {
                return tell_causes(flow, at->at);
            }
            duplicate(flow, 1);
            break;
        case MP_BC_DUP_TOP_TWO:
            duplicate(flow, 2);
            break;
        case MP_BC_POP_TOP:
            gpusnek_verify_need(!is_cause(pop(flow)));
            break;
        case MP_BC_ROT_TWO:
            if (flow->now.depth == flow->floor + 1) {
                leave_async(flow, at);
                return end;
            }
            rotate_two(flow);
            break;
        case MP_BC_ROT_THREE:
            return rotate_three(flow, at);
        case MP_BC_JUMP:
            lead(flow, at->target);
            return end;
        case MP_BC_POP_JUMP_IF_TRUE:
        case MP_BC_POP_JUMP_IF_FALSE:
            pop_object(flow);
            lead(flow, at->target);
            break;
        case MP_BC_JUMP_IF_TRUE_OR_POP:
        case MP_BC_JUMP_IF_FALSE_OR_POP:
            gpusnek_verify_need(is_object(peek(flow, 0)));
            lead(flow, at->target);
            pop(flow);
            break;
        case MP_BC_SETUP_WITH:
            set_up_with(flow, at);
            break;
        case MP_BC_SETUP_EXCEPT:
        case MP_BC_SETUP_FINALLY:
            set_up(flow, at);
            break;
        case MP_BC_WITH_CLEANUP:
            clean_up_with(flow);
            break;
        case MP_BC_END_FINALLY:
            return end_finally(flow) ? at->next : end;
        case MP_BC_POP_EXCEPT_JUMP:
            gpusnek_verify_need(innermost(flow)->type == EXCEPT);
            pop_block(flow);
            lead(flow, at->target);
            return end;
        case MP_BC_UNWIND_JUMP:
            unwind_jump(flow, at);
            return end;
        case MP_BC_GET_ITER_STACK:
            start_iterator(flow);
            break;
        case MP_BC_FOR_ITER:
            next_item(flow, at);
            break;
        case MP_BC_BUILD_TUPLE:
            build(flow, at, TUPLE);
            break;
        case MP_BC_BUILD_LIST:
            build(flow, at, LIST);
            break;
        #if MICROPY_PY_BUILTINS_SET
        case MP_BC_BUILD_SET:
            build(flow, at, SET);
            break;
        #endif
        case MP_BC_BUILD_MAP:
            push(flow, DICT);
            break;
        #if MICROPY_PY_BUILTINS_SLICE
        case MP_BC_BUILD_SLICE:
            build_slice(flow, at);
            break;
        #endif
        case MP_BC_STORE_MAP:
            pop_objects(flow, 2);
            gpusnek_verify_need(is_object(peek(flow, 0))); // mp_obj_dict_store asks for a dict
            break;
        case MP_BC_STORE_COMP:
            store_item(flow, at);
            break;
        case MP_BC_UNPACK_SEQUENCE:
            pop_object(flow);
            push_objects(flow, at->argument);
            break;
        case MP_BC_UNPACK_EX:
            unpack_ex(flow, at->argument);
            break;
        case MP_BC_RETURN_VALUE:
            return_value(flow);
            return end;
        case MP_BC_RAISE_LAST:
            return end;
        case MP_BC_RAISE_OBJ:
            pop_object(flow);
            return end;
        case MP_BC_RAISE_FROM:
            pop_objects(flow, 2);
            return end;
        case MP_BC_YIELD_VALUE:
            need_generator(flow);
            operate(flow, 1);
            break;
        case MP_BC_YIELD_FROM:
            need_generator(flow);
            operate(flow, 2);
            break;
        case MP_BC_MAKE_FUNCTION:
        case MP_BC_MAKE_FUNCTION_DEFARGS:
        case MP_BC_MAKE_CLOSURE:
        case MP_BC_MAKE_CLOSURE_DEFARGS:
            make_function(flow, at);
            break;
        case MP_BC_CALL_FUNCTION:
            call(flow, at, false, false);
            break;
        case MP_BC_CALL_FUNCTION_VAR_KW:
            call(flow, at, false, true);
            break;
        case MP_BC_CALL_METHOD:
            call(flow, at, true, false);
            break;
        case MP_BC_CALL_METHOD_VAR_KW:
            call(flow, at, true, true);
            break;
        case MP_BC_IMPORT_NAME:
            pop_object(flow);
            pop_type(flow, INTEGER); // the level
            push(flow, OBJECT);
            break;
        case MP_BC_IMPORT_FROM:
            gpusnek_verify_need(is_object(peek(flow, 0)));
            push(flow, OBJECT);
            break;
        default:
            gpusnek_verify_need(execute_family(flow, at->op));
    }
    return at->next;
}

// ---- The function ----

// Collects the marked jump targets, sorted by offset, and allocates the queue.
static void open_targets(flow_t *flow) {
    const verify_t *of = flow->of;
    for (uint32_t at = 0; at < of->size; at++) {
        flow->target_count += (of->marks[at] & VERIFY_TARGET) != 0;
    }
    flow->targets = m_new0(target_t, flow->target_count);
    flow->queue = m_new(uint32_t, flow->target_count);
    uint32_t found = 0;
    for (uint32_t at = 0; at < of->size; at++) {
        if (of->marks[at] & VERIFY_TARGET) {
            flow->targets[found++].offset = at;
        }
    }
}

// Executes instructions from a target to the next target or the end of the path. Returns their
// number.
static uint32_t follow(flow_t *flow, const target_t *target) {
    uint32_t at = target->offset;
    uint32_t steps = 0;
    copy_state(&flow->now, target->state);
    count_wide(flow);
    find_floor(flow);
    need_room(flow, 0);
    do {
        verify_instruction_t instruction;
        gpusnek_verify_need(at < flow->of->size && (flow->of->marks[at] & VERIFY_START));
        gpusnek_verify_decode(flow->of, at, &instruction);
        at = execute(flow, &instruction);
        steps++;
        if (at != 0 && at < flow->of->size && (flow->of->marks[at] & VERIFY_TARGET)) {
            lead(flow, at);
            at = 0;
        }
    } while (at != 0);
    return steps;
}

void gpusnek_verify_flow(verify_t *of) {
    flow_t *flow = m_new0(flow_t, 1);
    uint64_t steps = (uint64_t)of->size * STEPS_PER_BYTE + STEPS_AT_LEAST;
    flow->of = of;
    gpusnek_verify_need(of->locals <= of->state);
    flow->limit = of->state - of->locals;
    flow->now.slots = m_new(slot_t, flow->limit);
    flow->now.blocks = m_new(block_t, of->handlers);
    of->marks[0] |= VERIFY_TARGET;
    open_targets(flow);
    lead(flow, 0);
    while (flow->queued > 0) {
        target_t *target = &flow->targets[flow->queue[--flow->queued]];
        target->is_queued = false;
        const uint32_t taken = follow(flow, target);
        gpusnek_verify_need(taken <= steps);
        steps -= taken;
    }
    for (uint32_t i = 0; i < flow->target_count; i++) {
        state_t *state = flow->targets[i].state;
        if (state != NULL) {
            m_del(byte, (byte *)state, size_of_state(state));
        }
    }
    m_del(target_t, flow->targets, flow->target_count);
    m_del(uint32_t, flow->queue, flow->target_count);
    m_del(slot_t, flow->now.slots, flow->limit);
    m_del(block_t, flow->now.blocks, of->handlers);
    m_del(flow_t, flow, 1);
}

#endif
