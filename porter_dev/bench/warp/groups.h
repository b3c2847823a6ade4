// Groups of lanes that execute one function's bytecode together, and their regrouping by a policy.
#ifndef PORTER_WARP_GROUPS_H
#define PORTER_WARP_GROUPS_H

#include "policies.h"
#include "warp.h"

inline void Warp::drop_group(Thread &thread) {
    thread.groups.back().group->members--;
    thread.groups.pop_back();
}

inline void Warp::enter_vm(const Fragment &fragment) {
    auto group = std::make_shared<Group>();
    group->cause = fragment.cause;
    group->members = (uint32_t)fragment.lanes.size();
    for (uint32_t lane : fragment.lanes) {
        threads[lane].groups.push_back({group, threads[lane].depth()});
    }
}

inline void Warp::stop(const Fragment &fragment, const std::vector<Step> &steps) {
    for (size_t i = 0; i < fragment.lanes.size(); i++) {
        Thread &thread = threads[fragment.lanes[i]];
        while (!thread.groups.empty() && thread.groups.back().depth > thread.depth()) {
            drop_group(thread);
        }
        // Leave all barriers of this activation except the one at the function's end.
        while (!thread.barriers.empty() && thread.barriers.back().depth >= thread.depth()
            && (thread.barriers.back().depth > thread.depth()
                || thread.barriers.back().scope->block != NONE)) {
            leave(fragment.lanes[i]);
        }
        thread.waits = true;
        thread.ip = steps[i].ip;
        Group &group = *thread.groups.back().group;
        group.since = group.waiting++ ? group.since : counts.issues;
    }
}

inline void Warp::finish(const Fragment &fragment) {
    for (uint32_t lane : fragment.lanes) {
        Thread &thread = threads[lane];
        if (thread.cut) {
            continue; // the trace ends here: the lane stays away from its barriers for ever
        }
        thread.ended = counts.issues;
        while (!thread.barriers.empty()) {
            leave(lane);
        }
        while (!thread.groups.empty()) {
            drop_group(thread);
        }
    }
}

inline void Warp::settle(const Fragment &fragment, const std::vector<Step> &steps) {
    if (steps[0].kind == Step::END) {
        finish(fragment);
    } else if (steps[0].kind == Step::STOP) {
        stop(fragment, steps);
    } else {
        const uint32_t block = steps[0].block;
        const bool called = threads[fragment.lanes[0]].from == NONE;
        if (model.stops && called && program.function[block] == program.vm) {
            enter_vm(fragment);
        }
        go_on(fragment);
    }
}

inline void Warp::release(const std::vector<uint32_t> &waiting, const Cause &cause) {
    std::vector<Candidate> all;
    for (uint32_t lane : waiting) {
        Thread &thread = threads[lane];
        all.push_back({lane, thread.ip, thread.depth(), thread.waited++});
    }
    std::vector<uint32_t> go;
    POLICIES[model.policy](all, model.rounds, go);
    bool agree = true;
    for (const Candidate &one : all) {
        agree = agree && one.ip == all[0].ip;
    }
    const uint32_t cost = agree ? model.agreed : model.cost;
    counts.issues += cost;
    counts.waiting += cost;
    Cause now = cause;
    if (go.size() < waiting.size()) {
        now = std::make_shared<Origin>(Origin{cause, threads[go[0]].block(),
            (uint32_t)waiting.size(), (uint32_t)go.size()});
    }
    for (uint32_t lane : go) {
        Thread &thread = threads[lane];
        thread.waits = false;
        thread.waited = 0;
        thread.groups.back().group->waiting--;
    }
    advance({go, now}, threads[go[0]].block());
}

inline std::vector<uint32_t> Warp::waiting(const Group *group) const {
    std::vector<uint32_t> found;
    for (uint32_t lane = 0; lane < threads.size(); lane++) {
        const Thread &thread = threads[lane];
        if (thread.waits && (!group || thread.groups.back().group.get() == group)) {
            found.push_back(lane);
        }
    }
    return found;
}

inline void Warp::split(const std::shared_ptr<Group> &group) {
    auto rest = std::make_shared<Group>(Group{0, 0, counts.issues, group->cause});
    for (Thread &thread : threads) {
        for (Membership &own : thread.groups) {
            const bool here = thread.waits && &own == &thread.groups.back();
            if (own.group == group && !here) {
                own.group = rest;
                rest->members++;
                group->members--;
            }
        }
    }
}

inline bool Warp::regroup(bool stuck) {
    if (model.whole) {
        const std::vector<uint32_t> all = running.empty() ? waiting(nullptr)
                                                          : std::vector<uint32_t>();
        if (!all.empty()) {
            release(all, nullptr);
        }
        return !all.empty();
    }
    bool any = false;
    for (uint32_t lane = 0; lane < threads.size(); lane++) {
        if (!threads[lane].waits) {
            continue;
        }
        const std::shared_ptr<Group> group = threads[lane].groups.back().group;
        if (model.patience && group->waiting < group->members
            && (stuck || counts.issues - group->since > model.patience)) {
            split(group);
        }
        if (group->waiting == group->members) {
            release(waiting(group.get()), group->cause);
            any = true;
        }
    }
    return any;
}

inline void Warp::run() {
    do {
        while (!running.empty()) {
            turn();
            regroup(false);
        }
    } while (regroup(false) || regroup(true));
}

#endif
