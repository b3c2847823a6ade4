"""Translate instructions on globals, attributes, closure cells and functions; see `Walker`."""

from __future__ import annotations

from porter.compiler.calling import CallEmitter
from porter.compiler.mpy import BytecodeInstruction
from porter.compiler.values import OBJECT, Value


class NameEmitter(CallEmitter):
    """Emits accesses to names.

    A global stays in a C++ variable from its first use to the next call of unknown code.
    """

    def do_load_global(self, it: BytecodeInstruction) -> None:
        slot = self.graph.slots[it.argument]
        value = self.state.names[slot]
        if value is None:
            value = self.fetched(slot)
            self.state.names[slot] = value.kept()
        self.state.stack.append(value.moved())
        self.guess_top(self.name(it.argument))

    do_load_name = do_load_global

    def fetched(self, slot: int, at: int | None = None) -> Value:
        """Emit the load of a global, with a side exit at `at` for an unbound name."""
        number = self.graph.names[slot]
        if number in self.graph.stored:
            self.point(slot, at)
            return self.new(OBJECT, f"*p{slot}")
        value = self.new(OBJECT, self.looked_up(number))
        self.leave_if(f"{value.text} == MP_OBJ_NULL", at)
        return value

    def point(self, slot: int, at: int | None = None) -> None:
        """Emit the load of a global's address in its dict into a C++ variable."""
        self.sink.variables[f"p{slot}"] = "mp_obj_t *"
        self.say(f"p{slot} = {self.looked_up(self.graph.names[slot])};")
        self.leave_if(f"p{slot} == NULL", at)

    def do_store_global(self, it: BytecodeInstruction) -> None:
        slot = self.graph.slots[it.argument]
        if self.state.names[slot] is None:
            self.point(slot)
        self.state.names[slot] = self.state.stack.pop().moved()
        self.state.views[self.graph.variables + slot] = False

    do_store_name = do_store_global

    # ---- closures ----

    def do_load_deref(self, it: BytecodeInstruction) -> None:
        cell = self.state.locals[it.argument]
        value = self.new(OBJECT, f"mp_obj_cell_get({cell.boxed()})")
        self.leave_if(f"{value.text} == MP_OBJ_NULL")
        self.state.stack.append(value)
        self.guess_top("a variable of an outer function")

    def do_store_deref(self, it: BytecodeInstruction) -> None:
        cell = self.state.locals[it.argument]
        value = self.state.stack.pop()
        self.say(f"mp_obj_cell_set({cell.boxed()}, {value.boxed()});")

    # ---- functions ----

    def _make(self, it: BytecodeInstruction, taken: int, count: int) -> None:
        """Emit the creation of a function or closure.

        count: number of closure cells, plus 0x100 if default arguments come before them.
        """
        at = len(self.state.stack) - taken
        self.flush(at)
        given = f"&frame[{at}]" if taken else "NULL"
        call = f"tier_make_function(cs, {it.argument}, {count}, {given})"
        value = self.called(OBJECT, call, plain=True)
        del self.state.stack[at:]
        self.state.stack.append(value)

    def do_make_function(self, it: BytecodeInstruction) -> None:
        self._make(it, 0, 0)

    def do_make_function_defargs(self, it: BytecodeInstruction) -> None:
        self._make(it, 2, 0)

    def do_make_closure(self, it: BytecodeInstruction) -> None:
        self._make(it, it.extra, it.extra)

    def do_make_closure_defargs(self, it: BytecodeInstruction) -> None:
        self._make(it, 2 + it.extra, 0x100 | it.extra)

    # ---- attributes ----

    def do_load_attr(self, it: BytecodeInstruction) -> None:
        holder = self.state.stack[-1].boxed()
        found = self.variable("mp_obj_t")
        self.say(f"{found} = tier_member(cs, {holder}, {it.argument});")
        self.quickly(
            f"{found} == MP_OBJ_NULL",
            f"mp_load_attr({holder}, tier_name(cs, {it.argument}))",
            1,
            [Value(OBJECT, found)],
            assigned=f"{found} = ",
        )
        self.guess_top(f"attribute {self.name(it.argument)}")

    def do_store_attr(self, it: BytecodeInstruction) -> None:
        holder, value = self.state.stack[-1].boxed(), self.state.stack[-2].boxed()
        if self.state.stack[-2].kind == OBJECT:
            self.leave_if(f"{value} == MP_OBJ_NULL")  # MP_OBJ_NULL means `del`
        self.quickly(
            f"!tier_store_member(cs, {holder}, {it.argument}, {value})",
            f"mp_store_attr({holder}, tier_name(cs, {it.argument}), {value})",
            2,
        )

    def do_load_method(self, it: BytecodeInstruction) -> None:
        holder = self.state.stack[-1].boxed()
        found = self.array(2)
        self.quickly(
            f"!tier_method(cs, {holder}, {it.argument}, {found})",
            f"mp_load_method({holder}, tier_name(cs, {it.argument}), {found})",
            1,
            [Value(OBJECT, f"{found}[0]"), Value(OBJECT, f"{found}[1]")],
        )
        self.state.stack[-2:] = [self.new(OBJECT, v.text) for v in self.state.stack[-2:]]

    def do_load_super_method(self, it: BytecodeInstruction) -> None:
        at = len(self.state.stack) - 3
        self.flush(at)
        self.call(f"mp_load_super_method(tier_name(cs, {it.argument}), &frame[{at}])")
        del self.state.stack[at:]
        self.state.stack.extend(self.new(OBJECT, f"frame[{at + k}]").kept() for k in range(2))
