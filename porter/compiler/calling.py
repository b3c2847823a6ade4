"""Emit calls of C functions: store values to memory before the call, and drop assumptions after it.

A call that may run Python code may change globals, and the containers that views point into. A call
that may raise needs the instruction pointer, and the frame if there are exception handlers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from porter.compiler.emitter import Emitter, Label
from porter.compiler.values import OBJECT, TYPES, UNBOX, A, Value


class CallEmitter(Emitter):
    """Emits calls, and keeps the state of globals, views and the frame consistent around them."""

    def call(
        self, expression: str, assigned: str = "", sp: int | None = None, *, plain: bool = False
    ) -> None:
        """Emit a call that may raise.

        Args:
            expression: C++ of the call.
            assigned: C++ before the call that assigns its value, such as "t1 = ".
            sp: Index of the frame's slot to which the stack pointer is set before the call; None
                leaves it unchanged.
            plain: Whether the call runs no Python code. Otherwise all globals are unknown after it.
        """
        protected = self.graph.protected  # a handler reads the frame
        # The collector reads the frame as well: a stale value there would keep an object alive.
        self.say(self.stores(self.state, frame=protected, variables=not plain))
        self._keep(protected, variables=not plain)
        self.say(self._called(expression, assigned, sp))
        if not plain:
            self.forget()

    def called(self, kind: str, expression: str, *, plain: bool = False) -> Value:
        """Emit a call like `call`, and return its value in a new C++ variable."""
        name = self.variable(TYPES[kind])
        self.call(expression, f"{name} = ", plain=plain)
        return Value(kind, name)

    def flush(self, first: int) -> None:
        """Store the stack's slots from `first` on to the frame."""
        slots = range(first, len(self.state.stack))
        self.say(self.stores(self.state, only=slots))
        for at in slots:
            self.state.stack[at] = self.state.stack[at].kept()

    def forget(self) -> None:
        """Drop all assumptions on globals and views, after code that may have changed them."""
        self.state.names[:] = [None] * len(self.state.names)
        self.state.views[:] = [False] * len(self.state.views)

    def view(self, at: int) -> str:
        """Return the names of the C++ variables of a view, and emit the view unless it is valid.

        Args:
            at: Index in `BlockState.views` of the variable or global that holds the container.
        """
        name = f"e{at}"
        if not self.state.views[at]:
            self.say(self.viewed(at))
            self.state.views[at] = True
        return f"{name}, {name}n, {name}c"

    def viewed(self, at: int) -> str:
        """Return the C++ that sets a view's address, length and typecode."""
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
        """Emit the test of an inlined fast path, and its slow path as cold code.

        The slow path runs the instruction by a call of any code. A side exit follows it if a global
        has changed.

        Args:
            fails: C++ condition under which the fast path does not apply.
            slow: C++ of the call on the slow path.
            popped: Number of values that the instruction pops.
            pushed: Values that it pushes.
            assigned: As of `call`.
            sp: As of `call`.
            frame: Whether the slow path reads the frame.
            unboxed: C++ variable of the object that the slow path returns, if the value pushed is
                its unboxed number.
            raised: C++ expression of the frame that raised an exception.
        """
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
        """Return the C++ that runs `out` unless all globals in C++ variables are unchanged."""
        held = [(slot, value) for slot, value in enumerate(self.state.names) if value is not None]
        return " ".join(f"if (!{self._same(slot, value)}) {{ {out()} }}" for slot, value in held)

    def views(self) -> str:
        """Return the C++ that sets all valid views anew."""
        return " ".join(self.viewed(at) for at, known in enumerate(self.state.views) if known)

    def _same(self, slot: int, value: Value) -> str:
        number = self.graph.names[slot]
        if number in self.graph.stored:
            return f"tier_same({self.looked_up(number)}, p{slot}, {value.boxed()})"
        return f"({self.looked_up(number)} == {value.boxed()})"

    def looked_up(self, number: int) -> str:
        """Return the C++ of a global's address if the function stores it, else of its value."""
        local = "true" if number in self.graph.local else "false"
        finds = "tier_find" if number in self.graph.stored else "tier_load"
        return f"{finds}(cs, {number}, {local})"
