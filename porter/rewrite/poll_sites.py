"""Decide which loops of the whole program poll, so that every long loop can be interrupted.

Input: the loop facts of all units (`loop_facts.py`). Output: a `Poll` per polling loop. The rule
`polls` writes the polls. docs/explanation/robustness.md ("Recursion and long loops") explains the
policy.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from attrs import frozen

from porter.rewrite.facts import FunctionFact, UnitFacts
from porter.rewrite.loop_bounds import Bound
from porter.rewrite.loop_facts import LoopFact

# The collector and the allocator: their work depends on addresses, and an unwind out of them would
# leave the heap half marked.
COLLECTOR = frozenset({"gc_alloc", "gc_collect", "gc_realloc", "gc_sweep_all", "gpusnek_allocate"})
# Output: a reserved slot of a ring must be filled. The wait for a free slot polls by itself.
OUTPUT = frozenset({"gpusnek_output_write", "gpusnek_output_flush"})
# A block device that holds the guard of its image.
GUARD = frozenset({"gpusnek_guard_write", "gpusnek_guard_written", "gpusnek_guard_release"})
# Unwinding: a poll could unwind a second time.
UNWINDING = frozenset({"nlr_jump"})
# Searches of tables: the lookup cache is a hint, which depends on addresses and on earlier lookups.
# The steps of a program must not depend on it. Comparisons of keys, which may take long, poll.
LOOKUP = frozenset({"mp_map_lookup"})
# Freeing is bounded by the work of the allocation.
RELEASE = "gc_free"
LOOK = "gpusnek_poll"  # port function that reads the interrupt word
POLL = "porter_poll_loop"  # port function that polls of the rule `polls` call
_UNWIND = "longjmp"
POINTER = "*"  # any call through a pointer

NESTED = 16  # budget units per iteration that runs another loop


@frozen
class Poll:
    """The way in which a loop polls.

    Attributes:
        raises: Whether the poll may raise an exception that the program can catch, in addition to
            the hard stop.
        turns: The budget units that one iteration draws.
        before: The functions before whose calls the loop polls, POINTER for indirect calls. Empty
            if the loop polls at its back edges. Used if only some iterations make slow calls.
        timed: Whether no constant bounds an iteration. On a GPU the clock can then trigger a look
            at the interrupt word before the budget is used up.
    """

    raises: bool
    turns: int = 1
    before: tuple[str, ...] = ()
    timed: bool = False


Polls = Mapping[str, Mapping[int, Poll]]


def polled_loops(
    units: Iterable[UnitFacts], raising: Collection[str]
) -> dict[str, dict[int, Poll]]:
    """Return the polls of a program, by function key and loop number.

    Args:
        units: The facts of all units.
        raising: The functions that can raise without any polls. A poll raises an exception that
            the program can catch only in a loop that calls one of them or through a pointer.

    Returns:
        The polls; empty if the program lacks the port's poll function.
    """
    units = list(units)
    interpreter = _interpreter(units)
    functions = {function.key: function for unit in units for function in unit.functions}
    if POLL not in functions:
        return {}
    quiet = _quiet(functions, {key for unit in units for key in unit.never_return})
    always = _always(functions)
    drawing = _drawing(functions)
    long = _long(functions)
    sweeping = _sweeping(functions) - quiet
    found: dict[str, dict[int, Poll]] = {}
    for unit in units:
        if not unit.polls or interpreter.isdisjoint(unit.never_return):
            continue
        for function in unit.functions:
            loops = function.polling.loops
            draws = {
                loop.number
                for loop in loops
                if loop.draws or drawing.intersection(loop.calls) or always.intersection(loop.sure)
            }
            polls = {
                loop.number: Poll(
                    loop.indirect or any(name in raising for name in loop.calls),
                    NESTED if loop.nested or sweeping.intersection(loop.sure) else 1,
                    _before(loop, long),
                    _may_take_long(loop, long),
                )
                for loop in loops
                if _must_poll(loop, long)
                and loop.number not in draws
                and not _is_jump_inside(loop, draws)
            }
            if polls and function.key not in quiet:
                found[function.key] = polls
    return found


def _interpreter(units: Iterable[UnitFacts]) -> set[str]:
    """Return the noreturn functions that units with the budget define: the interpreter's raises."""
    raisers = {key for unit in units for key in unit.never_return}
    return {f.key for unit in units if unit.polls for f in unit.functions if f.key in raisers}


def _must_poll(loop: LoopFact, long: Collection[str]) -> bool:
    """Return whether neither a constant nor allocated memory bounds the work of a loop."""
    if loop.bound == Bound.MEMORY.value:
        return _may_take_long(loop, long)
    return loop.bound == Bound.OPEN.value


def _may_take_long(loop: LoopFact, long: Collection[str]) -> bool:
    """Return whether no constant bounds the work of one iteration."""
    return loop.nested or loop.indirect or any(name in long for name in loop.calls)


def _before(loop: LoopFact, long: Collection[str]) -> tuple[str, ...]:
    """Return the calls before which a loop polls; empty if it polls at its back edges."""
    if loop.bound != Bound.MEMORY.value or loop.nested or loop.surely_indirect:
        return ()
    if any(name in long for name in loop.sure):
        return ()
    named = tuple(name for name in loop.calls if name in long)
    return (*named, POINTER) if loop.indirect else named


def _sweeping(functions: Mapping[str, FunctionFact]) -> set[str]:
    """Return the functions that run a loop over memory unless they return early.

    A function that selects an operation, as mp_binary_op() does, runs such a loop in some cases.
    """
    return {
        key
        for key, function in functions.items()
        if any(
            loop.bound == Bound.MEMORY.value and not loop.brief for loop in function.polling.loops
        )
    }


def _is_jump_inside(loop: LoopFact, draws: Collection[int]) -> bool:
    """Return whether a loop is a goto inside a loop that draws on the budget itself."""
    return loop.jump and any(outer in draws for outer in loop.around)


def _quiet(functions: Mapping[str, FunctionFact], raisers: Collection[str]) -> set[str]:
    """Return the functions that must not poll: collector, unwinding, lookups, the poll, callees.

    A callee that calls through a pointer or contains a setjmp may run code of the Python program.
    It and its own callees may poll. So may a callee that never returns: it makes an exception and
    unwinds anyway.

    Args:
        functions: All functions, by key.
        raisers: The functions that never return.
    """
    start = {*COLLECTOR, *OUTPUT, *GUARD, *UNWINDING, *LOOKUP, RELEASE, LOOK, POLL}
    start |= {key for key, function in functions.items() if _UNWIND in function.calls}
    seen: set[str] = set()
    todo = [key for key in start if key in functions]
    while todo:
        key = todo.pop()
        if key not in seen:
            seen.add(key)
            named = (*functions[key].calls, *functions[key].polling.passes)
            todo += [
                name for name in named if name not in raisers and _is_closed(functions.get(name))
            ]
    return seen


def _is_closed(function: FunctionFact | None) -> bool:
    return function is not None and not (function.indirect or function.polling.catches)


def _always(functions: Mapping[str, FunctionFact]) -> set[str]:
    """Return the functions that read the interrupt word on every call."""
    found = {LOOK}
    while True:
        more = {
            key
            for key, function in functions.items()
            if key not in found and found.intersection(function.polling.sure)
        }
        if not more:
            return found
        found |= more


def _drawing(functions: Mapping[str, FunctionFact]) -> set[str]:
    """Return the static functions that draw on the budget, with their static callers."""
    static = {key: function for key, function in functions.items() if ":" in key}
    found = {key for key, function in static.items() if function.polling.draws}
    return found | _callers(static, found)


def _long(functions: Mapping[str, FunctionFact]) -> set[str]:
    """Return functions without a constant time bound: loops, indirect calls, recursion."""
    import networkx  # slow to load, and most commands rewrite nothing

    graph = networkx.DiGraph(
        (key, name) for key, f in functions.items() for name in f.calls if name in functions
    )
    start = {
        key
        for key, function in functions.items()
        if function.indirect
        or graph.has_edge(key, key)
        or any(loop.bound != Bound.CONSTANT.value for loop in function.polling.loops)
    }
    for members in networkx.strongly_connected_components(graph):
        if len(members) > 1:
            start |= members
    start.discard(RELEASE)
    return start | _callers(functions, start)


def _callers(functions: Mapping[str, FunctionFact], start: Collection[str]) -> set[str]:
    """Return the transitive callers, by name, of some functions."""
    callers: dict[str, list[str]] = {}
    for key, function in functions.items():
        for name in function.calls:
            callers.setdefault(name, []).append(key)
    found: set[str] = set()
    todo = list(start)
    while todo:
        for caller in callers.get(todo.pop(), ()):
            if caller not in found:
                found.add(caller)
                todo.append(caller)
    return found
