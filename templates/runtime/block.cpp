// Turns, barrier and memory of the host twin's interpreters (block.h).
#include "block.h"

#include <stdlib.h>

#include "arena.h"
#include "fences_host.h"
#include "interpreter.h"
#include "profile_host.h"
#include "trace_host.h"

#define MAX_OPEN_BLOCKS 16 // per worker; each has C stacks and arenas of its own
#define LONG_BLOCK_NS 100000000u // 0.1 s: most blocks end earlier, and a user notices no delay

extern "C" uint64_t porter_clock_ns(void);

struct Worker::Interpreter : Turn {
    Fiber fiber;
    const gpusnek_launch_t *launch;
    uint32_t index;
    char *slot; // first byte of its arena
    char *base; // the state struct in the arena
    gpusnek_booted_t own_boot; // the image of its scratch arena
};

struct Worker::Block {
    std::vector<Interpreter> interpreters;
    uint32_t done; // number of interpreters in PHASE_DONE
};

__thread porter_state_t *porter_state_current;

static int32_t *status_of(const gpusnek_launch_t *launch, uint32_t index) {
    return (int32_t *)launch->status + index;
}

Worker::Worker(const gpusnek_launch_t *launch)
    : launch_(launch),
      stride_(launch->arenas
              ? launch->arena_stride
              : GPUSNEK_ARENA_BYTES(launch->pystack_size, launch->heap_size)),
      stack_size_((launch->stack_size + GPUSNEK_FIBER_SLACK + 4095) / 4096 * 4096
          * GPUSNEK_STACK_FACTOR) {}

Worker::~Worker() {
    for (char *stack : free_stacks_) {
        fiber_stack_free(stack, stack_size_);
    }
    for (Scratch &scratch : free_slots_) {
        arena_unmap(scratch.slot, 1, stride_);
        free(scratch.booted.image);
    }
}

void Worker::enter(void *argument) {
    Interpreter *self = (Interpreter *)argument;
    char *top = self->fiber.stack + self->fiber.stack_size;
    self->status = gpusnek_run(
        self->launch, self->index, self->base, top, self->launch->stack_size * GPUSNEK_STACK_FACTOR);
}

bool Worker::begin(Interpreter *self) {
    char *stack = nullptr;
    if (free_stacks_.empty()) {
        stack = fiber_stack_new(stack_size_);
    } else {
        stack = free_stacks_.back();
        free_stacks_.pop_back();
    }
    if (launch_->arenas) {
        self->slot = (char *)launch_->arenas + self->index * stride_;
    } else if (free_slots_.empty()) {
        self->slot = arena_map(1, stride_);
    } else {
        self->slot = free_slots_.back().slot;
        self->own_boot = free_slots_.back().booted;
        free_slots_.pop_back();
    }
    if (!stack || !self->slot) {
        if (stack) {
            free_stacks_.push_back(stack);
        }
        if (self->slot && !launch_->arenas) {
            free_slots_.push_back({self->slot, self->own_boot});
        }
        self->slot = nullptr;
        self->status = GPUSNEK_STATUS_NO_MEMORY;
        return false;
    }
    self->base = arena_base(self->slot, stride_);
    self->status = GPUSNEK_STATUS_ABORT; // remains if the port ends it through gpusnek_end_here
    fiber_make(&self->fiber, stack, stack_size_, enter, self);
    return true;
}

void Worker::finish(Interpreter *self) {
    if (self->slot) {
        free_stacks_.push_back(self->fiber.stack);
        const bool intact = arena_intact(self->slot, stride_);
        if (!intact) {
            self->status = GPUSNEK_STATUS_CANARY;
        }
        if (!launch_->arenas && intact) {
            free_slots_.push_back({self->slot, self->own_boot});
        } else if (!launch_->arenas) {
            arena_unmap(self->slot, 1, stride_);
            free(self->own_boot.image);
        }
    }
    free(self->kept);
    self->kept = nullptr;
    *status_of(launch_, self->index) = self->status;
    self->phase = PHASE_DONE;
}

bool Worker::wants_block() const {
    return blocks_.empty()
        || (blocks_.size() < MAX_OPEN_BLOCKS && porter_clock_ns() - opened_ > LONG_BLOCK_NS);
}

void Worker::open_block(uint64_t first, uint32_t count) {
    // On the heap, because gpusnek_turn points to an interpreter while `blocks_` may grow.
    std::unique_ptr<Block> block(new Block{std::vector<Interpreter>(count), 0});
    for (uint32_t i = 0; i < count; i++) {
        Interpreter &self = block->interpreters[i];
        self.launch = launch_;
        self.index = gpusnek_of_thread(launch_, first + i);
        self.phase = PHASE_NEW;
        self.alone = launch_->n == 1;
        self.slot = nullptr;
        self.kept = nullptr;
        self.own_boot = {};
        self.booted = launch_->arenas ? nullptr : &self.own_boot;
        if (self.index == (uint32_t)GPUSNEK_IDLE || gpusnek_rests(launch_, self.index)) {
            self.phase = PHASE_DONE; // its status remains the value that the caller wrote
            block->done++;
        }
    }
    blocks_.push_back(std::move(block));
    opened_ = porter_clock_ns();
}

void Worker::go_round() {
    for (size_t i = 0; i < blocks_.size();) {
        Block *block = blocks_[i].get();
        if (block->done < block->interpreters.size()) {
            go_round(block);
        }
        if (block->done < block->interpreters.size()) {
            i++;
        } else {
            blocks_.erase(blocks_.begin() + (ptrdiff_t)i);
        }
    }
}

void Worker::go_round(Block *block) {
    bool ready = false;
    for (Interpreter &self : block->interpreters) {
        if (self.phase == PHASE_NEW || self.phase == PHASE_READY) {
            step(&self);
            ready |= self.phase == PHASE_READY;
            block->done += self.phase == PHASE_DONE;
        }
    }
    // B3: the barrier opens if no interpreter can continue, and for an interpreter whose time is
    // over.
    for (Interpreter &self : block->interpreters) {
        if (self.phase == PHASE_WAITING
            && (!ready || (self.until != UINT64_MAX && porter_clock_ns() >= self.until))) {
            self.phase = PHASE_READY;
        }
    }
}

// Run `self` until it ends, waits or pauses.
void Worker::step(Interpreter *self) {
    const bool fresh = self->phase == PHASE_NEW;
    if (self->phase == PHASE_NEW && !begin(self)) {
        finish(self);
        return;
    }
    self->phase = PHASE_READY;
    gpusnek_turn = self;
    porter_state_current = (porter_state_t *)self->base;
    fence_stack(self->fiber.stack, self->fiber.stack_size);
    fence_arena(self->slot, self->slot + stride_);
    trace_begin(self->index);
    profile_turn(fresh ? nullptr : self->base);
    fiber_resume(&self->fiber);
    profile_turn(nullptr);
    trace_end();
    fence_nothing();
    porter_state_current = nullptr;
    gpusnek_turn = nullptr;
    if (self->fiber.done) {
        finish(self);
    }
}
