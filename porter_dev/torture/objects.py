"""Draw expressions with objects: compound literals, pointers, scalars and arguments."""

from __future__ import annotations

from attrs import frozen

from porter_dev.torture.arithmetic import ArithmeticMaker, Mode
from porter_dev.torture.initialisers import InitialiserMaker, Scalar, leaves
from porter_dev.torture.scope import Object, Pointer, Routine
from porter_dev.torture.types import INT, Array, Function, Number, Record, Text, Type


@frozen
class ObjectMaker(ArithmeticMaker):
    """A generator of objects, and of scalars and arguments of given types."""

    def _literal_member(self, depth: int, mode: Mode) -> str:
        """Draw a read of an element or member of a compound literal."""
        c, quiet = self.choices, min(mode, Mode.QUIET)
        if c.chance(50):
            values = [self.number(depth, quiet) for _ in range(c.between(1, 3))]
            size = c.pick(["", "4"])
            index = c.below(len(values))
            kind = c.pick(["int", "unsigned char", "const long", "short"])
            return f"(({kind}[{size}]){{{', '.join(values)}}})[{index}]"
        found = [r for r in self.types.records if r.fixed and not r.union]
        if not found:
            return self._literal(depth, mode)
        record = c.pick(found)
        object_, text = self.literal(record, depth, quiet)
        numbers = [leaf for leaf in object_.leaves if isinstance(leaf.type, Number)]
        if not numbers:
            return f"(&{text} != 0)"
        leaf = c.pick(numbers)
        read = f"(&{text})->{leaf.path[1:]}" if c.chance(50) else text + leaf.path
        return f"to_int({read})" if isinstance(leaf.type, Number) and leaf.type.floating else read

    def literal(self, record: Record, depth: int, mode: Mode) -> tuple[Object, str]:
        """Draw a compound literal; return its object and its text."""
        lists = InitialiserMaker(self.choices, lambda kind: self.scalar(kind, depth, mode))
        plan = lists.plan(record)
        text = f"({record.name}){lists.render(record, plan)}"
        return Object(text, record, tuple(leaves(record, plan))), text

    def scalar(self, kind: Scalar, depth: int, mode: Mode) -> str:
        """Draw a value for a scalar; C converts it implicitly."""
        c = self.choices
        if isinstance(kind, Text):
            return c.pick(['"text"', '"x" "y"', r'"\xff"', '(const char *)"c"'])
        if isinstance(kind, Function):
            found = [r.name for r in self.scope.routines if is_call(r)]
            return c.pick(["0", "NULL", *found, *(f"&{name}" for name in found)])
        if kind.floating:
            return self.double(depth, mode)
        if kind.enumerators and c.chance(60):
            return c.pick(kind.enumerators)
        return self.number(depth, mode)

    def _pointers(self, depth: int, mode: Mode) -> str:
        c = self.choices
        found = [
            o
            for o in self.scope.objects
            if o.name[:2] != "((" and o.name != "a" and o.type != Record("", ())
        ]
        if mode == Mode.STABLE or not found:
            return self._literal(depth, mode)
        thing = c.pick(found)
        hidden = c.pick([f"(void *)&{thing.name}", f"(const void *)&{thing.name}", "NULL", "0"])
        return f"({hidden} == &{thing.name})" if "&" in hidden else f"(&{thing.name} != {hidden})"

    def argument(self, kind: Type | Pointer, depth: int, mode: Mode) -> str:
        """Draw an argument for a parameter."""
        c = self.choices
        if isinstance(kind, Pointer):
            found = [
                o
                for o in self.scope.objects
                if o.type == kind.to
                and o.name != "a"
                and (kind.constant or not (o.constant or o.stable))
            ]
            if isinstance(kind.to, Record) and (not found or c.chance(20)):
                return "&" + self.literal(kind.to, depth, min(mode, Mode.QUIET))[1]
            if not found:
                assert isinstance(kind.to, Number)
                return (
                    f"({kind.to.name}[2]){{{self.scalar(kind.to, depth, min(mode, Mode.QUIET))}}}"
                )
            text = f"&{c.pick(found).name}"
            return f"as_void({'(void *)' if kind.constant else ''}{text})" if c.chance(30) else text
        if isinstance(kind, Record):
            found = [o for o in self.scope.objects if o.type == kind]
            if mode == Mode.STABLE:
                found = [o for o in found if o.stable]
            if found and c.chance(60):
                return c.pick(found).name
            return self.literal(kind, depth, min(mode, Mode.QUIET))[1]
        assert not isinstance(kind, Array)
        return self.scalar(kind, depth, mode)


def is_call(routine: Routine) -> bool:
    """Return whether a routine takes and returns an int, as the entries of tables do."""
    return routine.result == INT and routine.parameters == (INT,) and not routine.variadic
