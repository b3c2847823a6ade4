"""Rules for limits at run time: checks of the C stack, and polls in long loops."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from porter.rewrite.edit import Edit, Part, insert, replace
from porter.rewrite.landings import covering
from porter.rewrite.loop_facts import BUDGET
from porter.rewrite.loops import Loop, loops_of
from porter.rewrite.poll_sites import Poll
from porter.rewrite.queries import leaving, symbol_key
from porter.rewrite.rule import Example, Rule, on_body
from porter.rewrite.unwind_exits import Exits, back_edges, exits_of, polled_calls
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, Span


class Recursion(Rule):
    """Raises at the start of a function with unbounded recursion if the C stack is low."""

    name = "recursion"
    example = Example(
        "void mp_cstack_check(void); void g(void) { mp_cstack_check(); }\n"
        "int f(int n) { return n ? f(n - 1) : 0; }",
        "void mp_cstack_check(void); void g(void) { mp_cstack_check(); }\n"
        "int f(int n) { if (porter_stack_is_low()) { porter_raise_overflow(); return {}; } "
        "return n ? f(n - 1) : 0; }",
    )

    @on_body
    def function(self, function: Node, block: Node) -> Iterator[Edit]:
        """Insert a stack check at the start of a function in `WholeProgram.guarded`."""
        if symbol_key(self.unit.name, function.cursor) in self.program.guarded:
            leave = leaving(function)
            check = f" if (porter_stack_is_low()) {{ porter_raise_overflow(); {leave} }}"
            yield insert(block.start + 1, check, self.name)


class Polls(Rule):
    """Polls for an interruption of the program at every back edge of an unbounded loop."""

    name = "polls"
    example = Example(
        "unsigned gpusnek_poll_budget; void porter_poll_loop(int raises) { }\n"
        "_Noreturn void g(void) { } void f(unsigned long n) { while (n--) { } }",
        "unsigned gpusnek_poll_budget; void porter_poll_loop(int raises) { }\n"
        "_Noreturn void g(void) { } void f(unsigned long n) { while (n--) { "
        "if (porter_poll(PORTER_STATE->gpusnek_poll_budget, 1, false)) return; } }",
    )

    @on_body
    def function(self, function: Node, block: Node) -> Iterator[Edit]:
        """Insert the polls of a function's loops."""
        polled = self.program.polls.get(symbol_key(self.unit.name, function.cursor))
        if not polled:
            return
        budget = f"PORTER_STATE->{self.program.state[BUDGET].name}"
        check = _Check(exits_of(function, self.program), budget)
        for number, loop in enumerate(loops_of(block)):
            poll = polled.get(number)
            if poll is None:
                continue
            calls = polled_calls(loop, poll)
            for call in calls:
                steps = check.at(call, poll)
                yield replace(call.span, self.name, "({ ", *steps, " ", call.span, "; })")
            if not calls:
                yield from self._at_edges(loop, poll, check)

    def _at_edges(self, loop: Loop, poll: Poll, check: _Check) -> Iterator[Edit]:
        """Yield the polls before the explicit back edges of a loop and at the end of its body."""
        for jump in back_edges(loop):
            yield replace(jump.span, self.name, *check.at(jump, poll), " else ", jump.span)
        if loop.body is not None:
            yield self._at_end(loop.body, check.at(loop.body, poll, behind=True))

    def _at_end(self, body: Node, check: list[Part]) -> Edit:
        """Return the poll at the end of a loop's body; add braces if the body has none."""
        text = self.unit.text
        if body.kind == K.COMPOUND_STMT:
            return Edit(body.end - 1, body.end - 1, (*check, " "), self.name)
        if body.kind == K.NULL_STMT:
            return replace(body.span, self.name, "{ ", *check, " }")
        end = body.end if text[body.end - 1] in "};" else text.index(";", body.end) + 1
        whole = Span(body.start, end)
        return replace(whole, self.name, "{ ", whole, " ", *check, " }")


@frozen
class _Check:
    """A factory for the polls of one function, with its exits and the budget's lvalue."""

    exits: Exits
    budget: str

    def at(self, place: Node, poll: Poll, behind: bool = False) -> list[Part]:
        """Return the poll at or behind a node, as an if statement without an else."""
        span = Span(place.end - 1, place.end) if behind else place.span
        landings = covering(self.exits.landings, span)
        steps = self.exits.steps(landings, place, behind)
        action: list[Part] = ["{ ", *steps, " }"] if len(steps) > 1 else steps
        raises = "true" if poll.raises else "false"
        name = "porter_poll_timed" if poll.timed else "porter_poll"
        return [f"if ({name}({self.budget}, {poll.turns}, {raises})) ", *action]
