"""Execute, for one thread, the few PTX instructions that bounds checks consist of.

An unknown instruction is an error, and so is an access to memory that was not registered. With
watching enabled, such memory reads as zeros and is not written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from attrs import define, field

_FUNCTION = re.compile(
    r"^(?:\.visible )?\.func\s*(?:\([^)]*\))?\s*([\w$]+)\s*\(([^)]*)\)\s*\{", re.MULTILINE
)
_PARAMETER = re.compile(r"\.param \.b\d+ (\w+)")
_CALL = re.compile(r"call\.uni \((\w+)\), ([\w$]+), \(([^)]*)\);")
_LABEL = re.compile(r"(\$\w+):")
_STATEMENT = re.compile(r"(?:@(!?)(%\w+) )?([a-z][\w.]*)\s*(.*)", re.S)
_PLACE = re.compile(r"\[([%$\w]+)(?:\+(-?\d+))?\]")
_COMPARED = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
}


class Done(NamedTuple):
    """An access to memory other than parameters. space: "" (generic), "local", "global"."""

    space: str
    address: int
    size: int
    stores: bool


@define
class Machine:
    """A simulated thread.

    Attributes:
        constants: Values by name.
        symbols: Addresses by name.
        memory: Bytes by (space, address).
        window: The generic address of the thread's window.
        done: The accesses of functions named in `watched`.
    """

    text: str
    constants: dict[str, bytes]
    symbols: dict[str, int]
    window: int
    watched: frozenset[str]
    memory: dict[tuple[str, int], int] = field(factory=dict)
    done: list[Done] = field(factory=list)

    def call(self, name: str, *arguments: int) -> int:
        """Call a function; return its result, or 0 if it has none."""
        found = next(m for m in _FUNCTION.finditer(self.text) if m.group(1) == name)
        body = self.text[found.end() : self.text.index("\n}\n", found.end())]
        given = dict(zip(_PARAMETER.findall(found.group(2)), arguments, strict=True))
        return _Frame(self, name in self.watched, given).run(list(_statements(body)))

    def put(self, space: str, address: int, value: int, size: int) -> None:
        """Write to memory."""
        for at, byte in enumerate(value.to_bytes(size, "little")):
            self.memory[space, address + at] = byte

    def get(self, space: str, address: int, size: int) -> int:
        """Read memory."""
        return int.from_bytes(bytes(self.memory[space, address + i] for i in range(size)), "little")


def _statements(body: str) -> Iterator[str]:
    """Yield labels (`$a:`), calls, and instructions without their semicolons."""
    body = _CALL.sub(lambda m: m.group(0).replace(";", " ").strip() + ";", body)
    for line in body.split(";"):
        text = line.strip().lstrip("{}").strip()
        while (label := _LABEL.match(text)) is not None:
            yield label.group(0)
            text = text[label.end() :].strip().lstrip("{}").strip()
        if text and not text.startswith((".reg", ".param", ".pragma")):
            yield re.sub(r"\s+", " ", text)


@define
class _Frame:
    machine: Machine
    watched: bool
    parameters: dict[str, int]
    registers: dict[str, int] = field(factory=dict)

    def run(self, statements: list[str]) -> int:
        labels = {text[:-1]: at for at, text in enumerate(statements) if text.endswith(":")}
        at = 0
        for _ in range(10_000):
            text = statements[at]
            at += 1
            if text.endswith(":"):
                continue
            matched = _STATEMENT.fullmatch(text)
            assert matched is not None, text
            negated, predicate, name, rest = matched.groups()
            if predicate and bool(self.registers[predicate]) == bool(negated):
                continue
            if name.startswith("bra"):
                at = labels[rest.strip()]
            elif name == "ret":
                return self.parameters.get("func_retval0", 0)
            else:
                self._execute(name, rest)
        raise AssertionError("no end")

    def _execute(self, name: str, rest: str) -> None:
        kind, *suffixes = name.split(".")
        if kind == "call":
            self._call(name, rest)
            return
        operands = [part.strip() for part in re.split(r",(?![^{]*\})", rest)]
        if kind in ("ld", "st"):
            self._access(kind == "st", suffixes, operands)
            return
        width = int(re.sub(r"\D", "", suffixes[-1]) or 0)
        if kind == "mov" and "{" in operands[0]:
            low, high = operands[0].strip("{}").split(",")
            value = self._value(operands[1])
            self.registers |= {low.strip(): value & 0xFFFFFFFF, high.strip(): value >> 32}
            return
        values = [self._value(operand) for operand in operands[1:]]
        result = self._compute(kind, suffixes, values)
        wide = kind == "mul" and "wide" in suffixes
        keeps = kind == "setp" or suffixes == ["pred"]
        bits = int(re.sub(r"\D", "", suffixes[0])) if kind == "cvt" else width * (1 + wide)
        self.registers[operands[0]] = result if keeps else result & ((1 << bits) - 1)

    def _compute(self, kind: str, suffixes: list[str], values: list[int]) -> int:
        if kind == "setp":
            result = _COMPARED[suffixes[0]](values[0], values[1])
            return int(result and bool(values[2])) if "and" in suffixes else int(result)
        if kind == "bfe":
            return values[0] >> values[1] & ((1 << values[2]) - 1)
        if kind == "shf":
            assert suffixes[:2] == ["r", "wrap"]
            return ((values[1] << 32 | values[0]) >> (values[2] & 31)) & 0xFFFFFFFF
        if kind == "cvta":
            to = "to" in suffixes
            return values[0] + (-self.machine.window if to else self.machine.window) * (
                "local" in suffixes
            )
        known = {
            "mov": lambda: values[0],
            "cvt": lambda: values[0],
            "add": lambda: values[0] + values[1],
            "sub": lambda: values[0] - values[1],
            "and": lambda: values[0] & values[1],
            "or": lambda: values[0] | values[1],
            "shr": lambda: values[0] >> values[1],
            "mul": lambda: values[0] * values[1],
            "mad": lambda: values[0] * values[1] + values[2],
        }
        return int(known[kind]())

    def _call(self, name: str, rest: str) -> None:
        matched = _CALL.fullmatch(f"{name} {rest};")
        assert matched is not None, rest
        returned, function, given = matched.groups()
        arguments = [self.parameters[part.strip()] for part in given.split(",")]
        self.parameters[returned] = self.machine.call(function, *arguments)

    def _access(self, stores: bool, suffixes: list[str], operands: list[str]) -> None:
        place = next(part for part in operands if part.startswith("["))
        (value,) = (part for part in operands if not part.startswith("["))
        matched = _PLACE.fullmatch(place)
        assert matched is not None, place
        base, offset = matched.group(1), int(matched.group(2) or 0)
        if "param" in suffixes:
            if stores:
                self.parameters[base] = self._value(value)
            else:
                self.registers[value] = self.parameters[base]
            return
        size = int(re.sub(r"\D", "", suffixes[-1])) // 8
        parts = [part.strip() for part in value.strip("{}").split(",")]
        if "const" in suffixes:
            bytes_ = self.machine.constants[base]
            self.registers[value] = int.from_bytes(bytes_[offset : offset + size], "little")
            return
        space = next((s for s in ("local", "global") if s in suffixes), "")
        address = (self._value(base) + offset) & (2**64 - 1)
        assert address % (size * len(parts)) == 0, "misaligned"
        if self.watched:
            self.machine.done.append(Done(space, address, size * len(parts), stores))
            if (space, address) not in self.machine.memory:
                self.registers |= {} if stores else dict.fromkeys(parts, 0)
                return
        for at, part in enumerate(parts):
            if stores:
                self.machine.put(space, address + at * size, self._value(part), size)
            else:
                self.registers[part] = self.machine.get(space, address + at * size, size)

    def _value(self, operand: str) -> int:
        if operand.startswith("%"):
            if operand.endswith(".x"):
                return 0
            return self.registers[operand]
        return self.machine.symbols[operand] if not operand.lstrip("-").isdigit() else int(operand)
