"""Run upstream's mpy-tool.py with constants of this port: `python driver.py MPY_TOOL ARGUMENTS...`.

A process of its own, because the tool prints its result and keeps it in globals. It writes floats
with 16 digits, and those of object representation D in a form that is no C where pointers have 64
bits. The methods here write them as hexadecimal C constants.
"""

from __future__ import annotations

import importlib.util
import math
import struct
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

_INFINITE = "(1e300 * 1e300)"
# py/obj.h, as in its mp_const_float_e.
_OFFSET = "0x8004000000000000"
_WORD = "{{((mp_obj_t)((uint64_t)0x{bits:016x} + {offset}))}}"


def constant(value: float) -> str:
    """Return `value` as a C constant expression."""
    if math.isnan(value):
        return f"({_INFINITE} - {_INFINITE})"
    if math.isinf(value):
        return _INFINITE if value > 0 else f"-{_INFINITE}"
    return value.hex()


def float_lines(name: str, value: float) -> str:
    """Return the C definition of the macro `name`_macro, a table's entry with the float `value`."""
    (bits,) = struct.unpack("<Q", struct.pack("<d", value))
    word = _WORD.format(bits=bits, offset=_OFFSET)
    return (
        "#if MICROPY_OBJ_REPR == MICROPY_OBJ_REPR_D\n"
        f"#define {name}_macro {word}\n"
        "#else\n"
        f"static const mp_obj_float_t {name} = "
        f"{{{{&mp_type_float}}, (mp_float_t){constant(value)}}};\n"
        f"#define {name}_macro MP_ROM_PTR(&{name})\n"
        "#endif"
    )


def complex_lines(name: str, value: complex) -> str:
    """Return the C definition of the constant `name`, a complex number."""
    real, imaginary = constant(value.real), constant(value.imag)
    return (
        f"static const mp_obj_complex_t {name} = "
        f"{{{{&mp_type_complex}}, (mp_float_t){real}, (mp_float_t){imaginary}}};"
    )


def load(path: Path) -> ModuleType:
    """Import upstream's tool, which is no module's name, and replace its constants."""
    sys.path.insert(0, str(path.parent))  # where it looks for ../py
    spec = importlib.util.spec_from_file_location("mpy_tool", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    tool = importlib.util.module_from_spec(spec)
    sys.modules["mpy_tool"] = tool
    spec.loader.exec_module(tool)
    upstreams = tool.CompiledModule.freeze_constant_obj

    def freeze_constant_obj(self: Any, obj_name: str, obj: object) -> Any:
        if isinstance(obj, float):
            print(float_lines(obj_name, obj))
            return f"{obj_name}_macro"
        if isinstance(obj, complex):
            print(complex_lines(obj_name, obj))
            return f"MP_ROM_PTR(&{obj_name})"
        return upstreams(self, obj_name, obj)

    tool.CompiledModule.freeze_constant_obj = freeze_constant_obj
    return tool


if __name__ == "__main__":
    _tool = load(Path(sys.argv[1]))
    sys.argv = sys.argv[1:]
    _tool.main()
