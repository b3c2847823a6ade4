"""Draw C initialisers: in and out of order, nested, with gaps, ranges and repetitions."""

from __future__ import annotations

from collections.abc import Callable

from attrs import frozen

from porter_dev.torture.c_types import Array, Function, Number, Record, Text, Type
from porter_dev.torture.choices import Choices

# Values to initialise: text for a scalar or a string, else a plan by index of member or element.
Plan = str | dict[int, "Plan"]
Scalar = Number | Text | Function
Constant = Callable[[Scalar], str]


@frozen
class Leaf:
    """A scalar inside an object.

    Attributes:
        path: Path from the object's name to the scalar.
        type: Type of the scalar.
        bits: Width of a bit-field; 0 for other members.
        set: Whether an initialiser sets the scalar.
    """

    path: str
    type: Scalar
    bits: int = 0
    set: bool = False


@frozen
class InitialiserMaker:
    """A generator of initialisers.

    Attributes:
        choices: Source of decisions.
        scalar: Returns a value for a scalar type.
        designators: Whether lists may have designators; without them they are valid C++.
        ranges: Whether ranges of elements may share a value. The rules repeat the value for each
            element, so it must be free of side effects.
    """

    choices: Choices
    scalar: Constant
    designators: bool = True
    ranges: bool = False

    def plan(self, kind: Type, named: bool = True) -> Plan:
        """Draw what to set of an object of type `kind`; named: it is no anonymous member."""
        c = self.choices
        if isinstance(kind, Array):
            if isinstance(kind.of, Number) and kind.of.name.endswith("char") and c.chance(50):
                return self._string(kind.count)
            if self.ranges and not isinstance(kind.of, Array) and c.chance(12):
                same = self.plan(kind.of)
                first = c.below(kind.count)
                return dict.fromkeys(range(first, c.between(first, kind.count - 1) + 1), same)
            if self.designators and kind.count > 1 and c.chance(30):
                chosen = [i for i in range(kind.count) if c.chance(50)]
            else:
                chosen = list(range(c.between(1, kind.count)))
            return {i: self.plan(kind.of) for i in chosen or [0]}
        if isinstance(kind, Record):
            count = len(kind.members)
            if kind.union:
                # Of a union with anonymous parts, the rules support the first member only.
                nameless = not named or any(not member.name for member in kind.members)
                at = c.below(count) if self.designators and not nameless else 0
                return {at: self.plan(kind.members[at].type)}
            sparse = self.designators and c.chance(40)
            chosen = [i for i in range(count) if not sparse or c.chance(50)]
            if not self.designators:
                chosen = chosen[: c.between(1, count)]
            members = kind.members
            return {i: self.plan(members[i].type, bool(members[i].name)) for i in chosen or [0]}
        return self.scalar(kind)

    def _string(self, count: int) -> str:
        c = self.choices
        pieces = ["a", "B", " ", r"\n", r"\x41", r"\101", r"\"", "'", r"\\", "/*", r"\0", "9"]
        wanted = c.between(0, count)
        characters = [c.pick(pieces) for _ in range(wanted)]
        characters = [x if x != "/*" else "?" for x in characters]
        split = c.between(1, len(characters) - 1) if len(characters) > 1 and c.chance(20) else 0
        parts = [characters[:split], characters[split:]] if split else [characters]
        return " ".join(f'"{_joined(part)}"' for part in parts)

    def render(self, kind: Type, plan: Plan) -> str:
        """Render a plan as a C initialiser."""
        if isinstance(plan, str):
            return "{" + plan + "}" if isinstance(kind, Array) and self.choices.chance(10) else plan
        c = self.choices
        in_order = list(plan) == list(range(len(plan)))
        plain = in_order and not _needs_name(kind, plan) and not c.chance(35)
        if not self.designators or (plain and isinstance(kind, Record | Array)):
            items = [self.render(_part(kind, i), plan[i]) for i in plan]
            return self._list(items)
        return self._list(self._designated(kind, plan))

    def _list(self, items: list[str]) -> str:
        return "{" + ", ".join(items) + ("," if self.choices.chance(10) else "") + "}"

    def _designated(self, kind: Type, plan: dict[int, Plan]) -> list[str]:
        c = self.choices
        items: list[str] = []
        if isinstance(kind, Array) and len(plan) > 1 and len({id(x) for x in plan.values()}) == 1:
            value = plan[min(plan)]
            return [f"[{min(plan)} ... {max(plan)}] = {self.render(kind.of, value)}"]
        order = c.shuffled(list(plan)) if c.chance(60) else list(plan)
        following = 0
        for index in order:
            part, value = _part(kind, index), plan[index]
            if index == following and c.chance(25) and not _nameless(kind, index):
                items.append(self.render(part, value))  # positional: follows the previous item
            elif isinstance(value, dict) and (_nameless(kind, index) or c.chance(25)):
                items += self._deep(_accessor(kind, index), part, value)
                following = -1  # a positional item here would initialise the part's next member
                continue
            else:
                if c.chance(8) and isinstance(part, Number | Text | Function):
                    items.append(f"{_accessor(kind, index)} = {self.scalar(part)}")  # overridden
                items.append(f"{_accessor(kind, index)} = {self.render(part, value)}")
            following = index + 1
        return items

    def _deep(self, path: str, kind: Type, plan: dict[int, Plan]) -> list[str]:
        """Render items with designators that reach into a part: `.a.b[2] = 1`."""
        items: list[str] = []
        for index in self.choices.shuffled(list(plan)):
            value, part = plan[index], _part(kind, index)
            inner = path + _accessor(kind, index)
            if isinstance(value, dict) and (_nameless(kind, index) or self.choices.chance(40)):
                items += self._deep(inner, part, value)
            else:
                items.append(f"{inner} = {self.render(part, value)}")
        return items


def _joined(characters: list[str]) -> str:
    """Join characters to a string literal; none may extend a numeric escape before it."""
    text = ""
    for character in characters:
        if text.endswith(("\\x41", "\\0")) and character in "aB9":
            character = "z"
        text += character
    return text


def _needs_name(kind: Type, plan: dict[int, Plan]) -> bool:
    return isinstance(kind, Record) and kind.union and list(plan) != [0]


def _part(kind: Type, index: int) -> Type:
    if isinstance(kind, Array):
        return kind.of
    assert isinstance(kind, Record)
    return kind.members[index].type


def _nameless(kind: Type, index: int) -> bool:
    return isinstance(kind, Record) and not kind.members[index].name


def _accessor(kind: Type, index: int) -> str:
    if isinstance(kind, Array):
        return f"[{index}]"
    assert isinstance(kind, Record)
    name = kind.members[index].name
    return f".{name}" if name else ""


def leaves(kind: Type, plan: Plan | None, path: str = "", bits: int = 0) -> list[Leaf]:
    """Return every readable scalar of an object.

    Args:
        kind: Type of the object.
        plan: The object's initialiser; None for a zeroed object.
        path: Path from the object's name to this part.
        bits: Width, if this part is a bit-field.
    """
    if isinstance(kind, Array):
        if isinstance(plan, str):
            assert isinstance(kind.of, Number)
            return [Leaf(f"{path}[{i}]", kind.of, 0, True) for i in range(kind.count)]
        found: list[Leaf] = []
        for i in range(kind.count):
            found += leaves(kind.of, plan.get(i) if plan else None, f"{path}[{i}]")
        return found
    if isinstance(kind, Record):
        found = []
        indices = range(len(kind.members))
        if kind.union and not kind.fixed:
            indices = range(0, 1) if not isinstance(plan, dict) else range(min(plan), min(plan) + 1)
        for i in indices:
            member = kind.members[i]
            below = plan.get(i) if isinstance(plan, dict) else None
            inner = f"{path}.{member.name}" if member.name else path
            found += leaves(member.type, below, inner, member.bits)
        return found
    return [Leaf(path, kind, bits, plan is not None)]
