// Walk the recorded lanes of a warp in the order in which a GPU would issue them. Called by
// porter_dev/bench/warp/simulation.py, whose docstring describes the models.
#include "barriers.h"
#include "groups.h"

#include <unordered_map>
#include <unordered_set>

#define EXPORT extern "C" __attribute__((visibility("default")))

// Load lanes from `rows`, each from its outermost execution of bytecode on. Returns false if a lane
// executed no bytecode.
template <class Kind>
static bool load(const Program &program, uint32_t n, const uint32_t *const *rows,
    const uint64_t *lengths, const int *cut, std::vector<Kind> &lanes) {
    lanes.resize(n);
    for (uint32_t i = 0; i < n; i++) {
        lanes[i].next = rows[i];
        lanes[i].end = rows[i] + lengths[i];
        lanes[i].cut = cut[i] != 0;
        if (!lanes[i].seek(program)) {
            return false;
        }
    }
    return true;
}

// Simulate the compiler's barriers, with or without a policy. Writes each lane's end to `ended`.
// Returns the number of lanes that waited for ever, or -1 if a lane executed no bytecode.
EXPORT int warp_barriers(const Program *program, const Model *model, uint32_t n,
    const uint32_t *const *rows, const uint64_t *lengths, const int *cut, Counts *counts,
    uint64_t *ended) {
    Warp warp = {*program, *model, *counts, {}, {}};
    if (!load(*program, n, rows, lengths, cut, warp.threads)) {
        return -1;
    }
    Fragment all;
    for (uint32_t i = 0; i < n; i++) {
        all.lanes.push_back(i);
    }
    if (model->stops) {
        warp.enter_vm(all);
    }
    warp.running.push_back(all);
    warp.run();
    int starved = 0;
    for (uint32_t i = 0; i < n; i++) {
        ended[i] = warp.threads[i].ended;
        starved += !warp.threads[i].ended && !warp.threads[i].cut;
    }
    return starved;
}

// Collect the edges of the flow graphs for reconvergence.py: pairs of blocks that followed each other in
// one activation, with NONE before the first and after the last block. Marks the blocks before
// upstream's switch in `dispatching`. Returns the number of pairs, at most `room`, or -1 if a lane
// executed no bytecode.
EXPORT int64_t warp_ways(const Program *program, uint32_t n, const uint32_t *const *rows,
    const uint64_t *lengths, const int *cut, int32_t *pairs, uint64_t room, uint8_t *dispatching) {
    std::vector<Lane> lanes;
    if (!load(*program, n, rows, lengths, cut, lanes)) {
        return -1;
    }
    std::unordered_set<uint64_t> found;
    const auto add = [&](uint32_t from, uint32_t to) {
        if (from != to || from != NONE) {
            found.insert((uint64_t)from << 32 | to);
        }
    };
    for (Lane &lane : lanes) {
        add(NONE, lane.block());
        for (Step step = lane.step(*program, 1); step.kind != Step::END;
             step = lane.step(*program, 1)) {
            for (uint32_t block : lane.left) {
                add(block, NONE);
            }
            if (step.kind == Step::STOP) {
                dispatching[lane.block()] = 1;
            } else {
                add(lane.from, step.block);
            }
        }
        for (uint32_t block : lane.blocks) {
            if (!lane.cut) {
                add(block, NONE);
            }
        }
    }
    uint64_t number = 0;
    for (uint64_t pair : found) {
        if (number < room) {
            pairs[2 * number] = (int32_t)(pair >> 32);
            pairs[2 * number + 1] = (int32_t)(uint32_t)pair;
            number++;
        }
    }
    return (int64_t)number;
}

struct Placed : Lane {
    std::vector<uint32_t> contexts; // by activation, a number for its chain of call sites
    bool over = false;
};

// Simulate the ideal model. Parameters and return value as for warp_barriers().
EXPORT int warp_ideal(const Program *program, uint32_t n, const uint32_t *const *rows,
    const uint64_t *lengths, const int *cut, Counts *counts) {
    std::vector<Placed> lanes;
    if (!load(*program, n, rows, lengths, cut, lanes)) {
        return -1;
    }
    std::unordered_map<uint64_t, uint32_t> contexts;
    for (Placed &lane : lanes) {
        lane.contexts.assign(1, 0);
    }
    for (;;) {
        const Placed *best = nullptr;
        for (const Placed &lane : lanes) {
            if (lane.over) {
                continue;
            }
            if (!best || lane.depth() > best->depth()
                || (lane.depth() == best->depth()
                    && (program->rank[lane.block()] < program->rank[best->block()]
                        || (program->rank[lane.block()] == program->rank[best->block()]
                            && lane.contexts.back() < best->contexts.back())))) {
                best = &lane;
            }
        }
        if (!best) {
            return 0;
        }
        const uint32_t block = best->block(), context = best->contexts.back();
        size_t together = 0;
        for (Placed &lane : lanes) {
            if (lane.over || lane.block() != block || lane.contexts.back() != context) {
                continue;
            }
            together++;
            const Step step = lane.step(*program, 0);
            lane.over = step.kind == Step::END;
            // Drop the contexts of activations that returned in this step.
            const size_t kept = lane.contexts.size() - (step.returned < lane.contexts.size()
                    ? step.returned
                    : lane.contexts.size() - 1);
            lane.contexts.resize(kept < lane.depth() ? kept : lane.depth());
            while (lane.contexts.size() < lane.depth()) {
                const uint64_t key = (uint64_t)lane.contexts.back() << 32
                    | lane.sites[lane.contexts.size()];
                const uint32_t fresh = (uint32_t)contexts.size() + 1;
                lane.contexts.push_back(contexts.emplace(key, fresh).first->second);
            }
        }
        counts->issue(*program, block, together);
    }
}
