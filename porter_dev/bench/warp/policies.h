// Policies that choose which of the lanes waiting before a bytecode instruction execute it.
#ifndef PORTER_WARP_POLICIES_H
#define PORTER_WARP_POLICIES_H

#include <stdint.h>
#include <vector>

// A lane that waits before a bytecode instruction.
struct Candidate {
    uint32_t lane;
    uint32_t ip;
    uint32_t depth; // of the C call stack, in activations
    uint32_t waited; // rounds waited so far
};

// Write the chosen lanes to `go`. Lanes that are not chosen wait for a round. After `rounds` rounds
// a lane is chosen in any case.
typedef void (*Policy)(const std::vector<Candidate> &, uint32_t rounds, std::vector<uint32_t> &go);

static void everyone(const std::vector<Candidate> &all, uint32_t, std::vector<uint32_t> &go) {
    for (const Candidate &one : all) {
        go.push_back(one.lane);
    }
}

// Choose the lanes with the lowest ip.
static void least_ip(const std::vector<Candidate> &all, uint32_t rounds, std::vector<uint32_t> &go) {
    uint32_t least = UINT32_MAX;
    for (const Candidate &one : all) {
        least = one.ip < least ? one.ip : least;
    }
    for (const Candidate &one : all) {
        if (one.ip == least || one.waited >= rounds) {
            go.push_back(one.lane);
        }
    }
}

// Choose the lanes with the deepest call stack and, among these, the lowest ip.
static void deepest(const std::vector<Candidate> &all, uint32_t rounds, std::vector<uint32_t> &go) {
    uint32_t depth = 0, least = UINT32_MAX;
    for (const Candidate &one : all) {
        if (one.depth > depth || (one.depth == depth && one.ip < least)) {
            depth = one.depth;
            least = one.ip;
        }
    }
    for (const Candidate &one : all) {
        if ((one.depth == depth && one.ip == least) || one.waited >= rounds) {
            go.push_back(one.lane);
        }
    }
}

// Choose the lanes at the most frequent ip, the lowest if several are as frequent.
static void most(const std::vector<Candidate> &all, uint32_t rounds, std::vector<uint32_t> &go) {
    uint32_t best = 0, number = 0;
    for (const Candidate &one : all) {
        uint32_t count = 0;
        for (const Candidate &other : all) {
            count += other.ip == one.ip;
        }
        if (count > number || (count == number && one.ip < best)) {
            number = count;
            best = one.ip;
        }
    }
    for (const Candidate &one : all) {
        if (one.ip == best || one.waited >= rounds) {
            go.push_back(one.lane);
        }
    }
}

static const Policy POLICIES[] = {everyone, least_ip, deepest, most}; // names: simulation.py

#endif
