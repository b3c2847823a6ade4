// Who executes the next instruction of bytecode, of lanes that stand before one.
#ifndef PORTER_WARP_POLICIES_H
#define PORTER_WARP_POLICIES_H

#include <stdint.h>
#include <vector>

// One that stands before an instruction, among those that are asked together.
struct Candidate {
    uint32_t lane;
    uint32_t ip;
    uint32_t depth; // activations of C functions
    uint32_t waited; // rounds
};

// Fills `go`; `rounds` is the parameter. Whoever is not chosen waits a round.
typedef void (*Policy)(const std::vector<Candidate> &, uint32_t rounds, std::vector<uint32_t> &go);

static void everyone(const std::vector<Candidate> &all, uint32_t, std::vector<uint32_t> &go) {
    for (const Candidate &one : all) {
        go.push_back(one.lane);
    }
}

// Those at the least ip, and those that have waited for `rounds`.
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

// The deepest in calls, of these the least ip; and those that have waited for `rounds`.
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

// The ip at which most stand, the least of such; and those that have waited for `rounds`.
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

static const Policy POLICIES[] = {everyone, least_ip, deepest, most}; // simulate.py has their names

#endif
