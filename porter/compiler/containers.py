"""Translate instructions that create, read, change or iterate over containers; see `Walker`."""

from __future__ import annotations

from porter.compiler.calling import CallEmitter
from porter.compiler.effects import ITERATOR
from porter.compiler.mpy import BytecodeInstruction
from porter.compiler.values import BOOL, FLOAT, INT, MEMORY, OBJECT, TYPES, Range, Value

_ELEMENT = {INT: "tier_int_element", FLOAT: "tier_float_element"}
_STORE = {INT: "tier_store_int", FLOAT: "tier_store_float"}


class ContainerEmitter(CallEmitter):
    """Emits accesses to containers; elements that type feedback saw as numbers stay unboxed."""

    # ---- elements ----

    def do_load_subscr(self, it: BytecodeInstruction) -> None:
        container, index = self.state.stack[-2:]
        kind = self.seen(it.next)
        hot = self.hot and container.kind == OBJECT and self.may_guess()
        if index.kind == BOOL:
            index = Value(INT, f"(int64_t){index.text}", range=Range(0, 1))
        if hot and kind in _ELEMENT and index.kind == OBJECT:
            index = self.require(index, INT, "an index")
        holder = self.state.holder(container)
        if hot and index.kind == INT and (kind in _ELEMENT or holder is not None):
            self._element(kind if kind in _ELEMENT else OBJECT, container, index, holder)
        else:
            found = self.variable("mp_obj_t")
            a, b = container.boxed(), index.boxed()
            self.say(f"{found} = tier_element({a}, {b});")
            self.quickly(
                f"{found} == MP_OBJ_NULL",
                f"mp_obj_subscr({a}, {b}, MP_OBJ_SENTINEL)",
                2,
                [Value(OBJECT, found)],
                assigned=f"{found} = ",
            )
        self.guess_top("an element")

    def _element(self, kind: str, container: Value, index: Value, holder: int | None) -> None:
        result = self.variable(TYPES[kind])
        found = result if kind == OBJECT else self.variable("mp_obj_t")
        if holder is None:
            quick = f"{_ELEMENT[kind]}({container.text}, {index.text}, &{result})"
        else:
            quick = f"tier_view_{kind}({self.view(holder)}, {index.text}, &{result})"
        self.quickly(
            f"!{quick}",
            f"mp_obj_subscr({container.text}, {index.boxed()}, MP_OBJ_SENTINEL)",
            2,
            [Value(kind, result)],
            assigned=f"{found} = ",
            unboxed="" if kind == OBJECT else found,
        )

    def do_store_subscr(self, it: BytecodeInstruction) -> None:
        value, container, index = self.state.stack[-3:]
        a, b, c = container.boxed(), index.boxed(), value.boxed()
        if value.kind == OBJECT:
            self.leave_if(f"{c} == MP_OBJ_NULL")  # MP_OBJ_NULL means `del`
        quick = f"tier_store_element({a}, {b}, {c})"
        if self.hot and container.kind == OBJECT and index.kind == INT:
            holder = self.state.holder(container)
            if holder is not None:
                kind, word = (
                    (value.kind, value.text) if value.kind in _STORE else (OBJECT, value.boxed())
                )
                place = f"{self.view(holder)}, {index.text}"
                quick = f"tier_view_store_{kind}({place}, {word})"
            elif value.kind in _STORE:
                quick = f"{_STORE[value.kind]}({a}, {index.text}, {value.text})"
        self.quickly(f"!{quick}", f"mp_obj_subscr({a}, {b}, {c})", 3)

    # ---- iteration ----

    def do_get_iter(self, _: BytecodeInstruction) -> None:
        value = self.called(OBJECT, f"mp_getiter({self.state.stack[-1].boxed()}, NULL)")
        self.state.stack[-1] = value

    def do_get_iter_stack(self, _: BytecodeInstruction) -> None:
        at = len(self.state.stack) - 1
        self.flush(at)
        self.call(f"tier_iterate(&frame[{at}])")
        del self.state.stack[at:]
        self.state.stack.extend([Value(MEMORY, "", True)] * ITERATOR)

    def do_for_iter(self, it: BytecodeInstruction) -> None:
        # If the iterator raises StopIteration, the interpreter handles that in this frame.
        at = len(self.state.stack) - ITERATOR
        found = self.variable("mp_obj_t")
        if self.hot and self.seen(it.next) == INT and self.may_guess():
            value = self._counted(it, at, found)
            ends = "counted <= 0"
        else:
            self._next(it, at, found)
            value = Value(OBJECT, found)
            ends = f"{found} == MP_OBJ_STOP_ITERATION"
        self.say(f"if ({ends}) {{")
        before = self.state.copy()
        del self.state.stack[at:]
        self.on_edge(it.argument)
        self.say("}")
        self.state = before
        self.state.stack.append(value)
        self.guess_top("an element")
        self.on_edge(it.next)

    def _counted(self, it: BytecodeInstruction, at: int, found: str) -> Value:
        """Emit the next integer; an integer from a range is never boxed."""
        value = self.variable("int64_t")
        self.say(f"counted = tier_range_next(&frame[{at}], &{value});")
        self.say("if (counted < 0) {")
        self._next(it, at, found)
        self.say(f"counted = {found} != MP_OBJ_STOP_ITERATION;")
        after = self.state.copy()
        after.stack.append(Value(OBJECT, found))
        other = f"!tier_is_int({found})"
        self.say("if (counted) {")
        self.say(self.guarded(other, "an element is no small int", it.next, after))
        self.say(f"{value} = tier_int({found});")
        self.say("} }")
        return Value(INT, value)

    def _next(self, it: BytecodeInstruction, at: int, found: str) -> None:
        quick = self._called(f"tier_quick_next(&frame[{at}])", f"{found} = ", None)
        self.say(f"{self.stores(self.state, frame=self.graph.protected)} {quick}")
        # Other iterators may run any code. A side exit follows if a global has changed.
        call = self._called(f"tier_next(&frame[{at}])", f"{found} = ", len(self.state.stack) - 1)
        more, ended = self.state.copy(), self.state.copy()
        more.stack.append(Value(OBJECT, found))
        del ended.stack[at:]
        for state in (more, ended):
            state.names[:] = [None] * len(state.names)

        def out() -> str:
            end = f"if ({found} == MP_OBJ_STOP_ITERATION) {{ {self.way_out(it.argument, ended)} }}"
            return f"{end} {self.way_out(it.next, more)}"

        checks = self.unchanged(out)
        slow = f"{self.stores(self.state)} {call} {checks} {self.views()}"
        self.say(f"if (TIER_UNLIKELY({found} == MP_OBJ_SENTINEL)) {{ {slow} }}")

    # ---- construction ----

    def _build(self, it: BytecodeInstruction, maker: str, plain: bool = True) -> None:
        at = len(self.state.stack) - it.argument
        self.flush(at)
        value = self.called(OBJECT, f"{maker}({it.argument}, frame + {at})", plain=plain)
        del self.state.stack[at:]
        self.state.stack.append(value)

    def do_build_tuple(self, it: BytecodeInstruction) -> None:
        self._build(it, "mp_obj_new_tuple")

    def do_build_list(self, it: BytecodeInstruction) -> None:
        self._build(it, "mp_obj_new_list")

    def do_build_set(self, it: BytecodeInstruction) -> None:
        self._build(it, "mp_obj_new_set", plain=False)

    def do_build_slice(self, it: BytecodeInstruction) -> None:
        after = next(other for other in self.graph.function.code if other.at == it.next)
        if after.name not in ("LOAD_SUBSCR", "STORE_SUBSCR"):
            at, parts = self._slice(it)
            value = self.called(OBJECT, f"mp_obj_new_slice({', '.join(parts)})", plain=True)
            self.state.stack[at:] = [value]
        elif after not in self.block.code:
            self.say(self.way_out(it.at))  # the interpreter runs both instructions as one
            self.ended = True
        else:
            self._sliced(it, after)

    def _slice(self, it: BytecodeInstruction) -> tuple[int, list[str]]:
        """Return the stack position of a slice's start, and the C++ of start, stop and step."""
        at = len(self.state.stack) - it.argument
        parts = [value.boxed() for value in self.state.stack[at:]]
        return at, [*parts, "mp_const_none"][:3]

    def _sliced(self, it: BytecodeInstruction, after: BytecodeInstruction) -> None:
        """Emit a slice and its subscript as one call, as the interpreter does.

        The slice then needs no heap unless other code may keep it.
        """
        at, parts = self._slice(it)
        stores = after.name == "STORE_SUBSCR"
        value = self.state.stack[at - 2].boxed() if stores else "MP_OBJ_SENTINEL"
        container = self.state.stack[at - 1].boxed()
        call = f"tier_slice({container}, {', '.join(parts)}, {value})"
        if stores:
            self.call(call)
            del self.state.stack[at - 2 :]
        else:
            self.state.stack[at - 1 :] = [self.called(OBJECT, call)]
        self.here = self.done = after
        if not stores:
            self.guess_top("a slice")

    def do_build_map(self, it: BytecodeInstruction) -> None:
        self.state.stack.append(self.called(OBJECT, f"mp_obj_new_dict({it.argument})", plain=True))

    def do_store_map(self, _: BytecodeInstruction) -> None:
        container, value, key = (v.boxed() for v in self.state.stack[-3:])
        self.call(f"mp_obj_dict_store({container}, {key}, {value})")
        del self.state.stack[-2:]

    def do_store_comp(self, it: BytecodeInstruction) -> None:
        stack = self.state.stack
        container = stack[len(stack) - 1 - (it.argument >> 2)].boxed()
        kind = it.argument & 3
        if kind == 1:
            key, value = stack[-1].boxed(), stack[-2].boxed()
            self.call(f"mp_obj_dict_store({container}, {key}, {value})")
            del stack[-2:]
        else:
            maker = "mp_obj_list_append" if kind == 0 else "mp_obj_set_store"
            self.call(f"{maker}({container}, {stack[-1].boxed()})", plain=kind == 0)
            del stack[-1:]

    def do_unpack_sequence(self, it: BytecodeInstruction) -> None:
        sequence = self.state.stack[-1].boxed()
        items = self.array(max(it.argument, 1))
        self.quickly(
            f"!tier_unpack({sequence}, {it.argument}, {items})",
            f"mp_unpack_sequence({sequence}, {it.argument}, {items})",
            1,
            [Value(OBJECT, f"{items}[{number}]") for number in range(it.argument)],
        )
        at = len(self.state.stack) - it.argument
        self.state.stack[at:] = [self.new(OBJECT, v.text) for v in self.state.stack[at:]]
        if it.argument:
            self.guess_top("an element")
