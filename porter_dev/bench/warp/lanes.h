// The lanes of a simulated warp, read step by step from their traces
// (templates/runtime/trace_host.cpp), and the counters of issued blocks.
#ifndef PORTER_WARP_LANES_H
#define PORTER_WARP_LANES_H

#include <stddef.h>
#include <stdint.h>
#include <vector>

enum : uint32_t { BLOCK = 0, CALL = 1, RETURN = 2, BYTECODE = 3 };
const uint32_t VALUE = (1u << 30) - 1, FAST = 1u << 29;
const uint32_t NONE = UINT32_MAX;
const int32_t RETURNED = -1, NOWHERE = -2; // of `meets`: at the return to the caller, or not at all

struct Program { // arrays from control_flow.py and reconvergence.py, one item per block unless noted
    const uint32_t *numbers; // from a block's identifier in the trace to its number, or NONE
    uint32_t span; // items of `numbers`
    int32_t vm; // the function that executes bytecode
    const uint32_t *weight;
    const uint8_t *entry;
    const int32_t *function;
    const uint8_t *alone; // whether its function calls itself: nvcc places no barriers there
    const int32_t *rank;
    const int32_t *loop;
    const uint32_t *begin;
    const int32_t *meets;
    const int32_t *head; // one item per loop, like those below
    const int32_t *outer;
    const int32_t *last;

    bool inside(uint32_t block, int32_t within) const {
        return loop[block] >= within && loop[block] <= last[within];
    }
};

struct Step { // the transition from one block to the next
    enum Kind { GO, STOP, END } kind; // STOP: before a bytecode instruction, a policy decides
    uint32_t block; // GO: the next block
    uint32_t site; // call site of the first call, unless a return came before it; or NONE
    uint32_t returned; // number of activations that returned
    uint32_t ip; // STOP: address of the bytecode instruction
    uint64_t path; // hash of the calls and returns in between
};

struct Lane {
    const uint32_t *next;
    const uint32_t *end;
    bool cut = false;
    uint32_t from = NONE; // the previous block in this activation
    std::vector<uint32_t> blocks; // by activation, its current block
    std::vector<uint32_t> sites; // by activation, its return address
    std::vector<uint32_t> left; // the last blocks of activations that returned in the latest step

    uint32_t depth() const {
        return (uint32_t)blocks.size();
    }
    uint32_t block() const {
        return blocks.back();
    }

    // Advance by one step. stops: bits, stop before instructions of the switch (1), fast path (2).
    Step step(const Program &program, unsigned stops) {
        Step step = {Step::END, NONE, NONE, 0, 0, 1469598103934665603u};
        left.clear();
        while (next < end) {
            const uint32_t tag = *next >> 30, value = *next & VALUE;
            next++;
            if (tag == BLOCK) {
                step.kind = Step::GO;
                step.block = value < program.span ? program.numbers[value] : NONE;
                if (!blocks.empty()) {
                    from = blocks.back();
                    blocks.back() = step.block;
                }
                return step;
            }
            if (tag == BYTECODE) {
                if (stops & (value & FAST ? 2u : 1u)) {
                    step.kind = Step::STOP;
                    step.ip = value & ~FAST;
                    return step;
                }
                continue;
            }
            step.path = (step.path ^ next[-1]) * 1099511628211u;
            if (tag == CALL) {
                if (step.site == NONE && !step.returned) {
                    step.site = value;
                }
                blocks.push_back(NONE);
                sites.push_back(value);
            } else {
                step.returned += value;
                for (uint32_t i = 0; i < value && !blocks.empty(); i++) {
                    left.push_back(blocks.back());
                    blocks.pop_back();
                    sites.pop_back();
                }
            }
        }
        return step;
    }

    // Move to the first block of the outermost execution of bytecode, and cut the trace at its end.
    bool seek(const Program &program) {
        for (Step at = step(program, 0); at.kind == Step::GO; at = step(program, 0)) {
            if (at.block != NONE && program.function[at.block] == program.vm
                && program.entry[at.block]) {
                const uint32_t *first = next;
                const std::vector<uint32_t> kept = blocks, where = sites;
                const uint32_t *last = next;
                while (depth() >= kept.size() && step(program, 0).kind == Step::GO) {
                    last = depth() >= kept.size() ? next : last;
                }
                end = last;
                next = first;
                blocks.assign(1, kept.back());
                sites.assign(1, where.back());
                return true;
            }
        }
        return false;
    }
};

struct Counts { // instructions: of the whole simulation, and of each block
    uint64_t issues = 0; // of the warp
    uint64_t work = 0;   // of all lanes
    uint64_t waiting = 0; // of the issues: a policy's overhead
    uint64_t *block_issues;
    uint64_t *block_work;
    uint64_t *parted; // instructions that idle lanes missed because they diverged in this block

    void issue(const Program &program, uint32_t block, size_t lanes) {
        const uint64_t weight = program.weight[block];
        issues += weight;
        work += weight * lanes;
        block_issues[block] += weight;
        block_work[block] += weight * lanes;
    }
};

#endif
