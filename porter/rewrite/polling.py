"""Says which loops of the whole program poll, so that no program can make one endless."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from attrs import frozen

from porter.rewrite.bounds import Bound
from porter.rewrite.facts import FunctionFact, UnitFacts
from porter.rewrite.loopfacts import LoopFact

# The collector and the allocator: what they do depends on addresses, and an unwind out of them
# would leave a heap that is half marked.
COLLECTOR = frozenset({"gc_alloc", "gc_collect", "gc_realloc", "gc_sweep_all", "gpusnek_allocate"})
# Output: a slot of a ring that is taken is to be filled; who waits for room looks by itself.
OUTPUT = frozenset({"gpusnek_output_write", "gpusnek_output_flush"})
# A block device that holds its image's guard.
GUARD = frozenset({"gpusnek_guard_write", "gpusnek_guard_written", "gpusnek_guard_release"})
# What is let go was paid for when it was allocated.
RELEASE = "gc_free"
LOOK = "gpusnek_poll"  # the port's: reads the interrupt word
POLL = "porter_poll_loop"  # the port's: what a poll of this rule calls
_UNWIND = "longjmp"
POINTER = "*"  # stands for a call through a pointer

NESTED = 16  # what a turn draws that runs another loop


@frozen
class Poll:
    """How a loop polls.

    `raises`: what the program can catch, too. It polls at its back edges, or, where it only now
    and then calls what may take long, before these calls: `before` names the functions, POINTER
    those that are called through a pointer. A turn draws `turns` on the budget. `timed`: no
    constant bounds a turn, so a GPU's clock may say that a look is due before the budget does.
    """

    raises: bool
    turns: int = 1
    before: tuple[str, ...] = ()
    timed: bool = False


Polls = Mapping[str, Mapping[int, Poll]]


def polled_loops(
    units: Iterable[UnitFacts], raising: Collection[str]
) -> dict[str, dict[int, Poll]]:
    """The loops that poll: a function's key to numbers of loops, and how they do.

    A poll raises what the program can catch only where the loop calls what `raising` holds, the
    functions that could raise without any polls. A program without the port's poll has none.
    """
    units = list(units)
    interpreter = _interpreter(units)
    functions = {function.key: function for unit in units for function in unit.functions}
    if POLL not in functions:
        return {}
    quiet = _quiet(functions)
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
    """The functions by which the interpreter raises: those of units that know the budget."""
    raisers = {key for unit in units for key in unit.never_return}
    return {f.key for unit in units if unit.polls for f in unit.functions if f.key in raisers}


def _must_poll(loop: LoopFact, long: Collection[str]) -> bool:
    """Whether neither a constant nor memory that was paid for bounds what a loop does."""
    if loop.bound == Bound.MEMORY.value:
        return _may_take_long(loop, long)
    return loop.bound == Bound.OPEN.value


def _may_take_long(loop: LoopFact, long: Collection[str]) -> bool:
    """Whether no constant bounds what one turn does."""
    return loop.nested or loop.indirect or any(name in long for name in loop.calls)


def _before(loop: LoopFact, long: Collection[str]) -> tuple[str, ...]:
    """The calls before which a loop polls; none where it polls at its back edges."""
    if loop.bound != Bound.MEMORY.value or loop.nested or loop.surely_indirect:
        return ()
    if any(name in long for name in loop.sure):
        return ()
    named = tuple(name for name in loop.calls if name in long)
    return (*named, POINTER) if loop.indirect else named


def _sweeping(functions: Mapping[str, FunctionFact]) -> set[str]:
    """Functions with a loop over memory."""
    return {
        key
        for key, function in functions.items()
        if any(loop.bound == Bound.MEMORY.value for loop in function.polling.loops)
    }


def _is_jump_inside(loop: LoopFact, draws: Collection[int]) -> bool:
    """Whether a loop is a goto inside a loop that draws on the budget by itself."""
    return loop.jump and any(outer in draws for outer in loop.around)


def _quiet(functions: Mapping[str, FunctionFact]) -> set[str]:
    """Functions that must not poll: the collector, unwinding, the poll, and what they call.

    Where one of them calls what a program may define (through a pointer, or beneath a handler of
    its own), that is no part of it.
    """
    start = {*COLLECTOR, *OUTPUT, *GUARD, RELEASE, LOOK, POLL}
    start |= {key for key, function in functions.items() if _UNWIND in function.calls}
    seen: set[str] = set()
    todo = [key for key in start if key in functions]
    while todo:
        key = todo.pop()
        if key not in seen:
            seen.add(key)
            named = (*functions[key].calls, *functions[key].polling.passes)
            todo += [name for name in named if _is_closed(functions.get(name))]
    return seen


def _is_closed(function: FunctionFact | None) -> bool:
    return function is not None and not (function.indirect or function.polling.catches)


def _always(functions: Mapping[str, FunctionFact]) -> set[str]:
    """Functions that look at the interrupt word whenever they are called."""
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
    """Static functions that draw on the budget, or that call one."""
    static = {key: function for key, function in functions.items() if ":" in key}
    found = {key for key, function in static.items() if function.polling.draws}
    return found | _callers(static, found)


def _long(functions: Mapping[str, FunctionFact]) -> set[str]:
    """Functions whose time is not bounded by a constant: loops, unknown calls, recursion."""
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
    """Who calls one of these functions by name, transitively."""
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
