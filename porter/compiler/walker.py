"""One block of bytecode at a time, instruction by instruction: what it does to values, in C++.

The same walk serves the data flow, which drops the text, and the writer. An instruction that the
walk does not know, or whose operands are not what was assumed, ends compiled code there: the frame
gets what the interpreter wants, and the interpreter runs it.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from attrs import evolve

from porter.compiler import arithmetic
from porter.compiler.graph import CALLS, ITERATOR, KNOWN, Block, Graph, needs
from porter.compiler.mpy import Constant, Instruction, Module
from porter.compiler.tables import Tables
from porter.compiler.values import BOOL, FLOAT, INT, MEMORY, OBJECT, TYPES, Shape, State, Value

_FLOAT_CONSTANT = 8


class Walker:
    """Walks blocks of one function."""

    def __init__(self, graph: Graph, module: Module, tables: Tables) -> None:
        self.graph = graph
        self.module = module
        self.tables = tables
        self.lines: list[str] = []
        self._numbers = count()
        self.state = State()
        self.here = graph.function.code[0]
        self.edges: dict[int, Shape] = {}
        self.on_edge: Callable[[int], None] = self._note

    # ---- text ----

    def say(self, text: str) -> None:
        """A line of C++."""
        self.lines.append(text)

    def new(self, kind: str, expression: str) -> Value:
        """A value in a variable of its own."""
        name = f"t{next(self._numbers)}"
        self.say(f"const {TYPES[kind]} {name} = {expression};")
        return Value(kind, name)

    def leave(self, at: int, stack: list[Value] | None = None) -> str:
        """Statements that hand over to the interpreter at `at`."""
        stack = self.state.stack if stack is None else stack
        return (
            self.flushed(stack)
            + f"tier_give_polls(left); cs->ip = code + {at}; cs->sp = frame + {len(stack) - 1};"
            " return;"
        )

    def leave_if(self, condition: str, at: int | None = None) -> None:
        """Hands over at this instruction where `condition` holds."""
        where = self.here.at if at is None else at
        self.say(f"if (TIER_UNLIKELY({condition})) {{ {self.leave(where)} }}")

    def flushed(self, stack: list[Value], only: range | None = None) -> str:
        """Stores that make the frame hold the stack's slots and, without `only`, the variables."""
        text = ""
        for at, value in enumerate(stack):
            if not value.clean and value.kind != MEMORY and (only is None or at in only):
                text += f"frame[{at}] = {value.boxed()}; "
        if only is None:
            last = self.graph.function.state - 1
            for number, value in enumerate(self.state.locals):
                if not value.clean:
                    text += f"frame[{last - number}] = {value.boxed()}; "
        return text

    def flush(self, only: range | None = None) -> None:
        """The same at once; the slots are clean from here on."""
        text = self.flushed(self.state.stack, only)
        if text:
            self.say(text.rstrip())
        stack = self.state.stack
        for at, value in enumerate(stack):
            if only is None or at in only:
                stack[at] = value.kept()
        if only is None:
            self.state.locals[:] = [value.kept() for value in self.state.locals]

    def call(self, expression: str, kind: str | None = OBJECT, sp: int | None = None) -> Value:
        """The value of a call that may raise. None: it has none."""
        if self.graph.protected:
            # A handler reads the frame. Calls stand in branches, so nothing counts as clean.
            self.say(self.flushed(self.state.stack))
        self.say(f"cs->ip = code + {self.here.at};")
        if sp is not None:
            self.say(f"cs->sp = frame + {sp};")
        self.say("tier_give_polls(left);")
        value = Value(OBJECT, "")
        if kind is None:
            self.say(f"{expression};")
        else:
            value = self.new(kind, expression)
        self.say("if (PORTER_UNWINDING) { return; }")
        self.say("left = tier_polls();")
        return value

    # ---- the stack ----

    def push(self, value: Value) -> None:
        """One more on the stack. What it was a copy of may be clean; the slot is not."""
        self.state.stack.append(Value(value.kind, value.text))

    def pop(self) -> Value:
        """The top of the stack."""
        return self.state.stack.pop()

    def boxed(self, value: Value) -> str:
        """A word for it."""
        return value.boxed()

    # ---- blocks ----

    def walk(self, block: Block, state: State) -> dict[int, Shape]:
        """Run a block; the shapes with which it goes on, by follower."""
        self.state = state
        self.edges = {}
        for instruction in block.code:
            self.here = instruction
            if instruction.name not in KNOWN or len(state.stack) < needs(instruction):
                self.say(self.leave(instruction.at))
                return self.edges
            method = getattr(self, f"do_{instruction.name.lower()}", None)
            assert method is not None, instruction.name
            method(instruction)
        last = block.last
        if last.name != "JUMP" and not (len(block.followers) > 1) and block.followers:
            self.on_edge(block.followers[0])
        return self.edges

    def _note(self, to: int) -> None:
        if self.leads(to):
            self.edges[to] = self.state.shape()

    def leads(self, to: int) -> bool:
        """Whether compiled code goes on at `to`: the stack is there as deep as here."""
        block = self.graph.blocks.get(to)
        return block is not None and block.depth == len(self.state.stack)

    def look(self, instruction: Instruction) -> None:
        """A branch: the interpreter looks at interrupts there now and then."""
        self.leave_if("left <= 0", instruction.at)
        self.say("left--;")

    # ---- constants and variables ----

    def do_load_const_false(self, _: Instruction) -> None:
        self.push(Value(BOOL, "false"))

    def do_load_const_true(self, _: Instruction) -> None:
        self.push(Value(BOOL, "true"))

    def do_load_const_none(self, _: Instruction) -> None:
        self.push(Value(OBJECT, "mp_const_none"))

    def do_load_null(self, _: Instruction) -> None:
        self.push(Value(OBJECT, "MP_OBJ_NULL"))

    def do_load_const_small_int(self, it: Instruction) -> None:
        self.push(Value(INT, f"INT64_C({it.argument})"))

    def do_load_const_string(self, it: Instruction) -> None:
        self.push(self.new(OBJECT, f"MP_OBJ_NEW_QSTR(tier_name(cs, {it.argument}))"))

    def do_load_const_obj(self, it: Instruction) -> None:
        constant: Constant = self.module.constants[it.argument]
        word = f"tier_constant(cs, {it.argument})"
        if constant.kind == _FLOAT_CONSTANT:
            self.push(self.new(FLOAT, f"tier_float({word})"))
        else:
            self.push(self.new(OBJECT, word))

    def do_load_fast(self, it: Instruction) -> None:
        value = self.state.locals[it.argument]
        if not value.bound:
            if value.kind == OBJECT:
                self.leave_if(f"{value.text} == MP_OBJ_NULL")
            self.state.locals[it.argument] = evolve(value, bound=True)
        self.push(value)

    def do_store_fast(self, it: Instruction) -> None:
        self.state.locals[it.argument] = self.pop()
        value = self.state.locals[it.argument]
        self.state.locals[it.argument] = Value(value.kind, value.text)

    def do_load_deref(self, it: Instruction) -> None:
        cell = self.state.locals[it.argument]
        value = self.new(OBJECT, f"mp_obj_cell_get({cell.boxed()})")
        self.leave_if(f"{value.text} == MP_OBJ_NULL")
        self.push(value)

    def do_store_deref(self, it: Instruction) -> None:
        cell = self.state.locals[it.argument]
        value = self.pop()
        self.say(f"mp_obj_cell_set({cell.boxed()}, {value.boxed()});")

    def _load(self, it: Instruction, local: bool, slow: str) -> None:
        name = f"tier_name(cs, {it.argument})"
        where = f"p{next(self._numbers)}"
        self.say(
            f"const mp_obj_t *{where} = tier_global({it.argument}, {name}, {str(local).lower()});"
        )
        result = f"t{next(self._numbers)}"
        self.say(f"mp_obj_t {result};")
        self.say(f"if ({where} != NULL) {{ {result} = *{where}; }} else {{")
        found = self.call(f"{slow}({name})")
        self.say(f"{result} = {found.text}; }}")
        self.push(Value(OBJECT, result))

    def do_load_name(self, it: Instruction) -> None:
        self._load(it, True, "mp_load_name")

    def do_load_global(self, it: Instruction) -> None:
        self._load(it, False, "mp_load_global")

    def _store(self, it: Instruction, local: bool, slow: str) -> None:
        name = f"tier_name(cs, {it.argument})"
        value = self.state.stack[-1].boxed()
        where = f"p{next(self._numbers)}"
        self.say(f"mp_obj_t *{where} = tier_global({it.argument}, {name}, {str(local).lower()});")
        self.say(f"if ({where} != NULL) {{ *{where} = {value}; }} else {{")
        self.call(f"{slow}({name}, {value})", None)
        self.say("}")
        self.pop()

    def do_store_name(self, it: Instruction) -> None:
        self._store(it, True, "mp_store_name")

    def do_store_global(self, it: Instruction) -> None:
        self._store(it, False, "mp_store_global")

    # ---- attributes and elements ----

    def do_load_attr(self, it: Instruction) -> None:
        holder = self.state.stack[-1].boxed()
        name = f"tier_name(cs, {it.argument})"
        self._quick(
            f"const mp_obj_t *p = tier_member({holder}, {it.argument}, {name}, false)",
            "p != NULL",
            "*p",
            f"mp_load_attr({holder}, {name})",
            1,
        )

    def do_store_attr(self, it: Instruction) -> None:
        holder, value = self.state.stack[-1].boxed(), self.state.stack[-2].boxed()
        name = f"tier_name(cs, {it.argument})"
        where = f"p{next(self._numbers)}"
        self.say(f"mp_obj_t *{where} = tier_member({holder}, {it.argument}, {name}, true);")
        self.leave_if(f"{value} == MP_OBJ_NULL")
        self.say(f"if ({where} != NULL) {{ *{where} = {value}; }} else {{")
        self.call(f"mp_store_attr({holder}, {name}, {value})", None)
        self.say("}")
        del self.state.stack[-2:]

    def do_load_method(self, it: Instruction) -> None:
        holder = self.state.stack[-1].boxed()
        name = f"tier_name(cs, {it.argument})"
        found = f"m{next(self._numbers)}"
        self.say(f"mp_obj_t {found}[2];")
        self.say(f"if (!tier_method({holder}, {it.argument}, {name}, {found})) {{")
        self.call(f"mp_load_method({holder}, {name}, {found})", None)
        self.say("}")
        self.pop()
        self.push(self.new(OBJECT, f"{found}[0]"))
        self.push(self.new(OBJECT, f"{found}[1]"))

    def do_load_subscr(self, _: Instruction) -> None:
        container, index = self.state.stack[-2].boxed(), self.state.stack[-1].boxed()
        self._quick(
            f"const mp_obj_t e = tier_element({container}, {index})",
            "e != MP_OBJ_NULL",
            "e",
            f"mp_obj_subscr({container}, {index}, MP_OBJ_SENTINEL)",
            2,
        )

    def do_store_subscr(self, _: Instruction) -> None:
        value, container, index = (v.boxed() for v in self.state.stack[-3:])
        self.say(f"if (!tier_store_element({container}, {index}, {value})) {{")
        self.call(f"mp_obj_subscr({container}, {index}, {value})", None)
        self.say("}")
        del self.state.stack[-3:]

    def _quick(self, first: str, condition: str, quick: str, slow: str, popped: int) -> None:
        result = f"t{next(self._numbers)}"
        self.say(f"mp_obj_t {result};")
        self.say(f"{{ {first};")
        self.say(f"if ({condition}) {{ {result} = {quick}; }} else {{")
        found = self.call(slow)
        self.say(f"{result} = {found.text}; }} }}")
        del self.state.stack[-popped:]
        self.push(Value(OBJECT, result))

    # ---- the stack's order ----

    def do_dup_top(self, _: Instruction) -> None:
        self.push(self.state.stack[-1])

    def do_dup_top_two(self, _: Instruction) -> None:
        self.push(self.state.stack[-2])
        self.push(self.state.stack[-2])

    def do_pop_top(self, _: Instruction) -> None:
        self.pop()

    def do_rot_two(self, _: Instruction) -> None:
        top, below = self.pop(), self.pop()
        self.push(top)
        self.push(below)

    def do_rot_three(self, _: Instruction) -> None:
        top, below, lowest = self.pop(), self.pop(), self.pop()
        self.push(top)
        self.push(lowest)
        self.push(below)

    # ---- operators ----

    def do_unary_op(self, it: Instruction) -> None:
        arithmetic.unary(self, it)

    def do_binary_op(self, it: Instruction) -> None:
        arithmetic.binary(self, it)

    # ---- jumps ----

    def truth(self, value: Value) -> str:
        """Whether a value counts as true, as C++."""
        if value.kind == BOOL:
            return value.text
        if value.kind in (INT, FLOAT):
            return f"({value.text} != 0)"
        known = f"b{next(self._numbers)}"
        self.say(f"int {known} = tier_truth({value.text});")
        self.say(f"if ({known} < 0) {{")
        found = self.call(f"mp_obj_is_true({value.text})", BOOL)
        self.say(f"{known} = {found.text}; }}")
        return f"({known} != 0)"

    def do_jump(self, it: Instruction) -> None:
        self.look(it)
        self.on_edge(it.argument)

    def _branch(self, it: Instruction, when: str) -> None:
        self.say(f"if ({when}) {{")
        self.on_edge(it.argument)
        self.say("}")
        self.on_edge(it.next)

    def _pop_jump(self, it: Instruction, sense: str) -> None:
        # The interpreter looks after the jump, compiled code before: the same number of times.
        self.leave_if("left <= 0", it.at)
        when = self.truth(self.state.stack[-1])
        self.say("left--;")
        self.pop()
        self._branch(it, f"{sense}{when}")

    def do_pop_jump_if_true(self, it: Instruction) -> None:
        self._pop_jump(it, "")

    def do_pop_jump_if_false(self, it: Instruction) -> None:
        self._pop_jump(it, "!")

    def _jump_or_pop(self, it: Instruction, sense: str) -> None:
        self.leave_if("left <= 0", it.at)
        when = self.truth(self.state.stack[-1])
        self.say("left--;")
        self.say(f"if ({sense}{when}) {{")
        self.on_edge(it.argument)
        self.say("}")
        self.pop()
        self.on_edge(it.next)

    def do_jump_if_true_or_pop(self, it: Instruction) -> None:
        self._jump_or_pop(it, "")

    def do_jump_if_false_or_pop(self, it: Instruction) -> None:
        self._jump_or_pop(it, "!")

    # ---- iteration ----

    def do_get_iter(self, _: Instruction) -> None:
        value = self.call(f"mp_getiter({self.state.stack[-1].boxed()}, NULL)")
        self.pop()
        self.push(value)

    def do_get_iter_stack(self, _: Instruction) -> None:
        at = len(self.state.stack) - 1
        self.flush(range(at, at + 1))
        self.call(f"tier_iterate(&frame[{at}])", None)
        self.pop()
        self.state.stack.extend([Value(MEMORY, "", True)] * ITERATOR)

    def do_for_iter(self, it: Instruction) -> None:
        # Where the iterator raises StopIteration, the interpreter goes on in this frame.
        self.flush()
        at = len(self.state.stack) - ITERATOR
        value = self.call(f"tier_next(&frame[{at}])", sp=len(self.state.stack) - 1)
        self.say(f"if ({value.text} == MP_OBJ_STOP_ITERATION) {{")
        held = self.state.stack[at:]
        del self.state.stack[at:]
        self.on_edge(it.argument)
        self.say("}")
        self.state.stack.extend(held)
        self.push(value)
        self.on_edge(it.next)

    # ---- containers ----

    def _build(self, it: Instruction, maker: str) -> None:
        at = len(self.state.stack) - it.argument
        self.flush(range(at, at + it.argument))
        value = self.call(f"{maker}({it.argument}, frame + {at})")
        del self.state.stack[at:]
        self.push(value)

    def do_build_tuple(self, it: Instruction) -> None:
        self._build(it, "mp_obj_new_tuple")

    def do_build_list(self, it: Instruction) -> None:
        self._build(it, "mp_obj_new_list")

    def do_build_set(self, it: Instruction) -> None:
        self._build(it, "mp_obj_new_set")

    def do_build_map(self, it: Instruction) -> None:
        self.push(self.call(f"mp_obj_new_dict({it.argument})"))

    def do_store_map(self, _: Instruction) -> None:
        container, value, key = (v.boxed() for v in self.state.stack[-3:])
        self.call(f"mp_obj_dict_store({container}, {key}, {value})", None)
        del self.state.stack[-2:]

    def do_store_comp(self, it: Instruction) -> None:
        stack = self.state.stack
        container = stack[len(stack) - 1 - (it.argument >> 2)].boxed()
        kind = it.argument & 3
        if kind == 1:
            self.call(
                f"mp_obj_dict_store({container}, {stack[-1].boxed()}, {stack[-2].boxed()})", None
            )
            del stack[-2:]
        else:
            maker = "mp_obj_list_append" if kind == 0 else "mp_obj_set_store"
            self.call(f"{maker}({container}, {stack[-1].boxed()})", None)
            del stack[-1:]

    def do_unpack_sequence(self, it: Instruction) -> None:
        at = len(self.state.stack) - 1
        sequence = self.state.stack[-1].boxed()
        items = f"u{next(self._numbers)}"
        self.say(f"mp_obj_t {items}[{max(it.argument, 1)}];")
        self.call(f"mp_unpack_sequence({sequence}, {it.argument}, {items})", None)
        del self.state.stack[at:]
        for number in range(it.argument):
            self.push(self.new(OBJECT, f"{items}[{number}]"))

    # ---- calls ----

    def _call(self, it: Instruction, first: int, call: str) -> None:
        passed = (it.argument & 0xFF) + (it.argument >> 7 & 0x1FE) + first
        at = len(self.state.stack) - passed
        # The interpreter calls functions of Python without C's stack.
        self.leave_if(f"tier_is_function({self.state.stack[at].boxed()})")
        self.flush(range(at, at + passed))
        counts = f"{it.argument & 0xFF}, {it.argument >> 8 & 0xFF}"
        value = self.call(call.format(at=at, after=at + 1, counts=counts))
        del self.state.stack[at:]
        self.push(value)

    def do_call_function(self, it: Instruction) -> None:
        self._call(it, 1, "mp_call_function_n_kw(frame[{at}], {counts}, &frame[{after}])")

    def do_call_method(self, it: Instruction) -> None:
        self._call(it, 2, "mp_call_method_n_kw({counts}, &frame[{at}])")


assert all(hasattr(Walker, f"do_{name.lower()}") for name in KNOWN | CALLS)
