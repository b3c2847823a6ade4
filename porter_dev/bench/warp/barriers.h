// Divergence of a simulated warp's lanes and their reconvergence at barriers.
#ifndef PORTER_WARP_BARRIERS_H
#define PORTER_WARP_BARRIERS_H

#include "warp.h"

inline void Warp::charge(uint32_t block, const Cause &cause) {
    const uint64_t weight = program.weight[block];
    for (const Origin *at = cause.get(); at; at = at->parent.get()) {
        if (at->before > at->after) {
            counts.parted[at->block] += weight * (at->before - at->after);
        }
    }
}

inline void Warp::complete(const std::shared_ptr<Scope> &scope) {
    Fragment back = {scope->arrived, scope->cause};
    if (back.lanes.size() < scope->before) {
        back.cause = std::make_shared<Origin>(Origin{scope->cause, scope->parted, scope->before,
            (uint32_t)back.lanes.size()});
    }
    scope->arrived.clear();
    for (uint32_t lane : back.lanes) {
        threads[lane].barriers.pop_back();
    }
    if (scope->block == NONE) {
        returned(back);
    } else if (!back.lanes.empty()) {
        go_on(back);
    }
}

inline void Warp::returned(const Fragment &fragment) {
    std::vector<Step> steps;
    std::vector<uint32_t> depths;
    bool same = true, caller = true;
    for (uint32_t lane : fragment.lanes) {
        const Thread &thread = threads[lane], &first = threads[fragment.lanes[0]];
        steps.push_back({Step::GO, thread.block(), NONE, 1, 0, thread.depth()});
        depths.push_back(thread.depth());
        same = same && equal(steps[0], steps.back());
        caller = caller && thread.from == first.from && thread.depth() == first.depth();
    }
    if (steps.empty()) {
        return;
    }
    if (same) {
        settle(fragment, steps);
    } else {
        const uint32_t from = threads[fragment.lanes[0]].from;
        part(fragment, caller ? from : NONE, steps, depths);
    }
}

inline void Warp::leave(uint32_t lane) {
    const std::shared_ptr<Scope> scope = threads[lane].barriers.back().scope;
    threads[lane].barriers.pop_back();
    if (--scope->pending == 0) {
        complete(scope);
    }
}

inline bool Warp::arrives(uint32_t lane) {
    Thread &thread = threads[lane];
    while (!thread.barriers.empty() && thread.barriers.back().depth >= thread.depth()) {
        const Barrier &own = thread.barriers.back();
        const bool here = own.depth == thread.depth();
        if (own.scope->block == NONE) {
            return !here;
        }
        if (here && own.scope->block == thread.block()) {
            return true;
        }
        if (here && program.inside(thread.block(), own.scope->loop)) {
            return false;
        }
        leave(lane);
    }
    return false;
}

inline void Warp::go_on(Fragment fragment) {
    Fragment on = {{}, fragment.cause};
    std::vector<std::shared_ptr<Scope>> full;
    for (uint32_t lane : fragment.lanes) {
        Thread &thread = threads[lane];
        while (!thread.groups.empty() && thread.groups.back().depth > thread.depth()) {
            drop_group(thread);
        }
        if (arrives(lane)) {
            const std::shared_ptr<Scope> &scope = thread.barriers.back().scope;
            scope->arrived.push_back(lane);
            if (--scope->pending == 0) {
                full.push_back(scope);
            }
        } else {
            on.lanes.push_back(lane);
        }
    }
    if (!on.lanes.empty()) {
        running.push_back(on);
    }
    for (const std::shared_ptr<Scope> &scope : full) {
        complete(scope);
    }
}

inline bool Warp::equal(const Step &a, const Step &b) {
    return a.kind == b.kind && a.path == b.path && a.block == b.block;
}

inline bool Warp::calls(const std::vector<Step> &steps) {
    for (const Step &step : steps) {
        if (step.site == NONE || step.site != steps[0].site) {
            return false;
        }
    }
    return true;
}

inline void Warp::meet_at(const Fragment &fragment, uint32_t parted, int32_t block, int32_t loop,
    const std::vector<uint32_t> &depths) {
    if (block == NOWHERE) {
        return;
    }
    const Thread &first = threads[fragment.lanes[0]];
    for (size_t i = first.barriers.size(); i-- > 0 && first.barriers[i].depth == depths[0];) {
        const Scope &scope = *first.barriers[i].scope;
        // A single barrier around the loop of the divergence is enough.
        if (scope.block == (uint32_t)block && scope.loop == loop) {
            return;
        }
    }
    auto scope = std::make_shared<Scope>();
    scope->block = block == RETURNED ? NONE : (uint32_t)block;
    scope->loop = loop;
    scope->parted = parted;
    scope->before = scope->pending = (uint32_t)fragment.lanes.size();
    scope->cause = fragment.cause;
    for (size_t i = 0; i < fragment.lanes.size(); i++) {
        threads[fragment.lanes[i]].barriers.push_back({scope, depths[i]});
    }
}

inline void Warp::prepare(const Fragment &fragment, uint32_t block, bool called,
    const std::vector<uint32_t> &depths) {
    std::vector<int32_t> loops;
    for (int32_t loop = program.loop[block]; loop >= 0; loop = program.outer[loop]) {
        loops.push_back(loop);
    }
    const Thread &first = threads[fragment.lanes[0]];
    const bool more = !first.barriers.empty() && first.barriers.back().depth == depths[0];
    const int32_t innermost = more ? first.barriers.back().scope->loop : loops.back();
    for (size_t i = loops.size(); i-- > 0;) {
        if (loops[i] < innermost || loops[i] > program.last[innermost]) {
            continue; // the lanes have barriers around the loop already
        }
        const bool whole = called && i == 0;
        meet_at(fragment, block, whole ? program.head[loops[i]] : program.meets[program.begin[block] + i],
            loops[i], depths);
    }
}

inline void Warp::part(const Fragment &fragment, uint32_t block, const std::vector<Step> &steps,
    const std::vector<uint32_t> &depths) {
    if (block != NONE && program.loop[block] >= 0 && (model.reentry || !program.alone[block])) {
        prepare(fragment, block, !model.calls_meet && calls(steps), depths);
    }
    std::vector<bool> placed(steps.size());
    std::vector<Fragment> parts;
    std::vector<std::vector<Step>> their;
    for (size_t i = 0; i < steps.size(); i++) {
        if (placed[i]) {
            continue;
        }
        parts.push_back({{}, nullptr});
        their.push_back({});
        for (size_t k = i; k < steps.size(); k++) {
            if (!placed[k] && equal(steps[i], steps[k])) {
                placed[k] = true;
                parts.back().lanes.push_back(fragment.lanes[k]);
                their.back().push_back(steps[k]);
            }
        }
        parts.back().cause = std::make_shared<Origin>(Origin{fragment.cause,
            block == NONE ? steps[0].block : block,
            (uint32_t)fragment.lanes.size(), (uint32_t)parts.back().lanes.size()});
    }
    for (size_t i = 0; i < parts.size(); i++) {
        settle(parts[i], their[i]);
    }
}

inline void Warp::advance(const Fragment &fragment, uint32_t block) {
    std::vector<Step> steps;
    std::vector<uint32_t> depths;
    bool same = true;
    for (uint32_t lane : fragment.lanes) {
        depths.push_back(threads[lane].depth());
        steps.push_back(threads[lane].step(program, model.stops));
        same = same && equal(steps[0], steps.back());
    }
    if (same) {
        settle(fragment, steps);
    } else {
        part(fragment, block, steps, depths);
    }
}

inline void Warp::turn() {
    for (int i = 0; i < QUANTUM && !running.empty(); i++) {
        const Fragment fragment = running.front();
        running.pop_front();
        const size_t others = running.size();
        const uint32_t block = threads[fragment.lanes[0]].block();
        counts.issue(program, block, fragment.lanes.size());
        charge(block, fragment.cause);
        advance(fragment, block);
        if (running.size() != others + 1) {
            return;
        }
        running.push_front(running.back()); // the same fragment continues
        running.pop_back();
    }
    if (!running.empty()) {
        running.push_back(running.front());
        running.pop_front();
    }
}

#endif
