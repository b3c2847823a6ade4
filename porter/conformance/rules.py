"""Upstream's own rules for leaving a test out by its name, as data.

Source: ``tests/run-tests.py`` of 1.25.0 and 1.26.1, ``run_tests``. A rule says which
feature it asks for and which tests need that feature; features.py finds the
features of a build by running upstream's ``feature_check`` programs on it.

Upstream's rules that look at ``sys.platform`` are about single boards or about the
pyboard protocol and do not apply: our build is driven like the unix port's.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs

from porter.conformance.discovery import Test
from porter.conformance.features import Features

# Tests that upstream does not name after slices but that use them (misc_slice_tests).
_USE_SLICES = frozenset(
    {
        "builtin_range",
        "bytearray1",
        "class_super",
        "containment",
        "errno1",
        "fun_str",
        "generator1",
        "globals_del",
        "memoryview1",
        "memoryview_gc",
        "object1",
        "python34",
        "string_format_modulo",
        "struct_endian",
    }
)

_NEED_FLOAT = frozenset(
    {
        "extmod/uctypes_le_float.py",
        "extmod/uctypes_native_float.py",
        "extmod/uctypes_sizeof_float.py",
        "extmod/json_dumps_float.py",
        "extmod/json_loads_float.py",
        "extmod/random_extra_float.py",
        "misc/rge_sm.py",
    }
)
_NEED_FLOAT32 = frozenset(
    {
        "float/float2int_intbig.py",
        "float/float_struct_e.py",
        "float/bytes_construct.py",
        "float/bytearray_construct.py",
        "float/float_format_ints_power10.py",
    }
)
_NEED_FLOAT64 = frozenset(
    {
        "float/float_divmod.py",
        "float/float2int_doubleprec_intbig.py",
        "float/float_struct_e_doubleprec.py",
        "float/float_format_ints_doubleprec.py",
        "float/float_parse_doubleprec.py",
    }
)
_NEED_COMPLEX = frozenset(
    {
        "float/complex1.py",
        "float/complex1_intbig.py",
        "float/complex_reverse_op.py",
        "float/complex_special_methods.py",
        "float/int_big_float.py",
        "float/true_value.py",
        "float/types.py",
        "float/complex_dunder.py",
    }
)
_NEED_COVERAGE = frozenset(
    {"cmdline/cmd_parsetree.py", "cmdline/repl_sys_ps1_ps2.py", "extmod/ssl_poll.py"}
)


@attrs.frozen
class Rule:
    """Leaves out the tests that ``needs`` matches where ``supported`` is false."""

    reason: str
    supported: Callable[[Features], bool]
    needs: Callable[[Test], bool]


def _named(names: frozenset[str]) -> Callable[[Test], bool]:
    return lambda test: test.name in names


def _int_big(test: Test) -> bool:
    stem = test.stem
    return stem.startswith(("int_big", "ffi_int")) or stem.endswith("_intbig")


RULES = (
    Rule(
        "no native emitter",
        lambda f: f.native,
        lambda t: t.stem.startswith(("native_", "viper_")),
    ),
    Rule(
        "byte order is not the host's",
        lambda f: f.host_byteorder,
        lambda t: t.stem.endswith("_endian"),
    ),
    Rule("no arbitrary-precision int", lambda f: f.int_big, _int_big),
    Rule(
        "no 64-bit int",
        lambda f: f.int_64,
        lambda t: t.stem.startswith("int_64") or t.stem.endswith("_int64"),
    ),
    Rule(
        "no bytearray",
        lambda f: f.bytearray,
        lambda t: t.stem.startswith("bytearray") or t.stem.endswith("_bytearray"),
    ),
    Rule(
        "no set",
        lambda f: f.set,
        lambda t: t.stem.startswith(("set_", "frozenset")) or t.stem.endswith("_set"),
    ),
    Rule("no slice", lambda f: f.slice, lambda t: "slice" in t.stem or t.stem in _USE_SLICES),
    Rule(
        "no async",
        lambda f: f.async_,
        lambda t: t.stem.startswith(("async_", "asyncio_")) or t.stem.endswith("_async"),
    ),
    Rule("no const", lambda f: f.const, lambda t: t.stem.startswith("const")),
    Rule("no reverse operators", lambda f: f.reverse_ops, lambda t: "reverse_op" in t.stem),
    Rule("no io module", lambda f: f.io, lambda t: t.stem.startswith("io_")),
    Rule("no f-strings", lambda f: f.fstring, lambda t: t.stem.startswith("string_fstring")),
    Rule("no inline assembler", lambda f: False, lambda t: t.stem.startswith("asm")),
    Rule("no float", lambda f: f.float_bits > 0, _named(_NEED_FLOAT)),
    Rule("float has fewer than 32 bits", lambda f: f.float_bits >= 32, _named(_NEED_FLOAT32)),
    Rule("float has fewer than 64 bits", lambda f: f.float_bits >= 64, _named(_NEED_FLOAT64)),
    Rule("no complex", lambda f: f.complex, _named(_NEED_COMPLEX)),
    Rule("not upstream's coverage build", lambda f: f.coverage, _named(_NEED_COVERAGE)),
)


def left_out(test: Test, features: Features) -> str | None:
    """Why upstream's rules leave ``test`` out on a build with ``features``, or None."""
    for rule in RULES:
        if rule.needs(test) and not rule.supported(features):
            return rule.reason
    return None
