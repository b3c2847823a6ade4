"""Calls from machine code: what must be in memory before them, what is not known after them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from porter.compiler.emitter import Emitter, Label
from porter.compiler.values import OBJECT, TYPES, UNBOX, A, Value


class CallEmitter(Emitter):
    """Globals, views of containers and, for handlers, frames around calls."""

    def call(
        self, expression: str, assigned: str = "", sp: int | None = None, *, plain: bool = False
    ) -> None:
        """A call that may raise. Unless it is plain it may run any code: then no global is
        known."""
        protected = self.graph.protected  # a handler reads the frame
        # So does the collector: what a variable held before must not live on there.
        self.say(self.stores(self.state, frame=protected, variables=not plain))
        self._keep(protected, variables=not plain)
        self.say(self._called(expression, assigned, sp))
        if not plain:
            self.forget()

    def called(self, kind: str, expression: str, *, plain: bool = False) -> Value:
        """The value of such a call."""
        name = self.variable(TYPES[kind])
        self.call(expression, f"{name} = ", plain=plain)
        return Value(kind, name)

    def flush(self, first: int) -> None:
        """The stack's slots from `first` on are in the frame."""
        slots = range(first, len(self.state.stack))
        self.say(self.stores(self.state, only=slots))
        for at in slots:
            self.state.stack[at] = self.state.stack[at].kept()

    def forget(self) -> None:
        """Code has run that may have stored globals."""
        self.state.names[:] = [None] * len(self.state.names)
        self.state.views[:] = [False] * len(self.state.views)

    def view(self, at: int) -> str:
        """The names of variables of C++ that say where the elements are of what a variable or
        global holds."""
        name = f"e{at}"
        if not self.state.views[at]:
            self.say(self.viewed(at))
            self.state.views[at] = True
        return f"{name}, {name}n, {name}c"

    def viewed(self, at: int) -> str:
        """The text that does so."""
        holder = self.state.held(at)
        assert holder is not None
        name = f"e{at}"
        self.sink.variables |= {
            name: "const void *",
            f"{name}n": "uint64_t",
            f"{name}c": "uint32_t",
        }
        return f"TIER_VIEW({name}, {holder.text})"

    def _keep(self, frame: bool, *, variables: bool) -> None:
        state = self.state
        state.names[:] = [value and value.kept() for value in state.names]
        if frame:
            state.stack[:] = [value.kept() for value in state.stack]
        if frame or variables:
            state.locals[:] = [value.kept() for value in state.locals]

    def _called(self, expression: str, assigned: str, sp: int | None, raised: str = "cs") -> str:
        stack = "" if sp is None else f"cs->sp = frame + {sp}; "
        return (
            f"cs->ip = code + {self.here.at}; {stack}tier_give_polls(left); "
            f"{assigned}{expression}; "
            f"if (PORTER_UNWINDING) {{ return {raised}; }} left = tier_polls();"
        )

    def quickly(
        self,
        fails: str,
        slow: str,
        popped: int,
        pushed: Sequence[Value] = (),
        *,
        assigned: str = "",
        sp: int | None = None,
        frame: bool = False,
        unboxed: str = "",
        raised: str = "cs",
    ) -> None:
        """Where `fails` holds, the call `slow` does the instruction, out of the way; then globals
        must be as they were. frame: the call reads the frame. unboxed: the object that the call
        gives, of which what is pushed is the number. raised: the frame that an exception is in."""
        number = next(self.sink.numbers)
        self.say(f"if (TIER_UNLIKELY({fails})) {{ goto Y{number}; }}")
        self.say(Label(f"B{number}:;"))
        before = self.stores(self.state, frame=frame or self.graph.protected)
        del self.state.stack[len(self.state.stack) - popped :]
        self.state.stack.extend(pushed)
        changed = self.state.copy()
        changed.names[:] = [None] * len(changed.names)
        if unboxed:
            changed.stack[-1] = Value(OBJECT, unboxed)
        checks = self.unchanged(lambda: self.way_out(self.here.next, changed))
        if unboxed:
            value = pushed[-1]
            test, take = UNBOX[value.kind]
            what = f"an element is {A[value.kind]}"
            checks += self.guarded(f"!{test}({unboxed})", what, self.here.next, changed)
            checks += f" {value.text} = {take}({unboxed});"
        call = self._called(slow, assigned, sp, raised)
        text = f"{before} {call}{checks} {self.views()} goto B{number};"
        self.sink.cold.append(f"Y{number}: {text}")

    def unchanged(self, out: Callable[[], str]) -> str:
        """Text that goes `out` unless all globals are as they were."""
        held = [(slot, value) for slot, value in enumerate(self.state.names) if value is not None]
        return " ".join(f"if (!{self._same(slot, value)}) {{ {out()} }}" for slot, value in held)

    def views(self) -> str:
        """Text that looks again where elements are."""
        return " ".join(self.viewed(at) for at, known in enumerate(self.state.views) if known)

    def _same(self, slot: int, value: Value) -> str:
        number = self.graph.names[slot]
        if number in self.graph.stored:
            return f"tier_same({self.looked_up(number)}, p{slot}, {value.boxed()})"
        return f"({self.looked_up(number)} == {value.boxed()})"

    def looked_up(self, number: int) -> str:
        """Where a global is, of those that the function stores; of others, its value."""
        local = "true" if number in self.graph.local else "false"
        finds = "tier_find" if number in self.graph.stored else "tier_load"
        return f"{finds}(cs, {number}, {local})"
