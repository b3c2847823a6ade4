"""Name device functions readably, and sort them into groups by their compilation unit.

Input are symbols of a cubin and, if the build has them, the PTX files of its units. Output are a
function's unit, its short name and its group. `hot_code` makes tables by group.

The name of a function with internal linkage contains its unit. Other functions have the unit of the
PTX file that defines them. Patterns of names in `GROUPS` come first, so that a function of another
unit, or of a build without PTX, can be in a group, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from attrs import field, frozen

OTHER = "other"


def _patterns(text: str) -> tuple[str, ...]:
    return tuple(text.split())


@frozen
class CodeGroup:
    """A group of functions.

    Attributes:
        name: The group's name in tables.
        functions: Patterns of function names, as for fnmatch; written as one text.
        units: Patterns of units: upstream's and porter's paths without suffix, `_` for `/`.
    """

    name: str
    functions: tuple[str, ...] = field(converter=_patterns)
    units: tuple[str, ...] = field(converter=_patterns)


GROUPS = (
    CodeGroup(
        "reconvergence, polls, yields",
        functions="porter_meet porter_release_* porter_give_* porter_poll_* porter_refused "
        "porter_native_* gpusnek_poll* gpusnek_limits_* gpusnek_meet_*",
        units="reconvergence port_limits",
    ),
    CodeGroup("mp_execute_bytecode", functions="mp_execute_bytecode", units="py_vm"),
    CodeGroup(
        "allocation and freeing",
        functions="m_malloc* m_realloc* m_free* gc_* mp_obj_malloc* porter_gc_flush*",
        units="port_allocate port_gccollect py_gc py_malloc gc_flush",
    ),
    CodeGroup(
        "interning of strings",
        functions="qstr_* gpusnek_find_qstr",
        units="py_qstr port_qstrsearch",
    ),
    CodeGroup(
        "dicts and sets",
        functions="mp_map_* mp_set_* mp_obj_dict_* mp_obj_set_* gpusnek_map_equal",
        units="py_map py_objdict port_keys port_settype port_settable",
    ),
    CodeGroup(
        "integers",
        functions="mpz_* mp_obj_int_* mp_obj_new_int* gpusnek_mpz_* __cuda_sm*_div_[su]* "
        "__cuda_sm*_rem_[su]*",
        units="py_mpz py_objint py_objint_mpz py_smallint py_parsenum* port_integers* "
        "port_natural_* port_numbers",
    ),
    CodeGroup(
        "regular expressions",
        functions="gpusnek_re_*",
        units="port_regex_* port_modre",
    ),
    CodeGroup(
        "formatting and printing",
        functions="mp_print* mp_vprintf* mp_obj_print* mp_builtin_print* mp_stream_* *_print "
        "gpusnek_print* gpusnek_output_* vstr_init_print str_modulo_format",
        units="py_mpprint py_stream port_formatting port_printing port_decimal_* port_console "
        "port_outbuf port_stdio",
    ),
    CodeGroup(
        "snapshots and kernel",
        functions="gpusnek_launch gpusnek_setup gpusnek_snapshots_*",
        units="kernel_* kernels arrays hooks port_lifecycle port_kernel_api",
    ),
    CodeGroup(
        "strings and bytes",
        functions="mp_obj_str_* mp_obj_new_str* vstr_*",
        units="py_objstr py_objstrunicode py_unicode py_vstr port_encodings port_methods_split "
        "port_methods_text port_methods_case port_methods_bytearray",
    ),
    CodeGroup(
        "lists, tuples and sorting",
        functions="mp_obj_list_* mp_obj_tuple_* mp_seq_*",
        units="py_objlist py_objtuple py_sequence py_objslice port_sort port_slices",
    ),
    CodeGroup(
        "calls, attributes and operators",
        functions="",
        units="py_runtime* py_obj py_objfun py_objtype py_objclosure py_objboundmeth "
        "py_objgenerator py_bc py_argcheck py_cstack port_classes port_functions port_instances "
        "port_keywords port_methods",
    ),
    CodeGroup("bounds checks", functions="porter_fence_*", units="fences port_fence"),
    CodeGroup("memory and string functions of C", functions="", units="libc_string"),
)

# nvcc names internal functions _ZN<length>_INTERNAL_<hash>_<length>_<file>_<hash><length><name>.
_INTERNAL = re.compile(r"(\d+)_INTERNAL_[0-9a-f]+_(\d+)_")
_COPY = re.compile(r"\$\d+$")  # nvlink's suffix of a local function whose name occurs twice
_SUFFIX = re.compile(r"[._](?:cpp|cu|c)$")
_DEFINED = re.compile(
    r"^\.(?:visible|weak) +\.(?:func|entry)\s*(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*)", re.MULTILINE
)


@frozen
class CodeNames:
    """The units of a build's functions.

    Attributes:
        defined: The unit that defines a function, by symbol.
    """

    defined: Mapping[str, str] = field(factory=dict, repr=False)

    @classmethod
    def of_ptx(cls, files: Iterable[Path]) -> CodeNames:
        """Read the definitions in the PTX files of a build's units; a missing file has none."""
        found: dict[str, str] = {}
        for path in files:
            text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
            unit = _SUFFIX.sub("", path.name.removesuffix(".ptx"))
            found |= dict.fromkeys(_DEFINED.findall(text), unit)
        return cls(found)

    def unit(self, symbol: str) -> str:
        """Return the unit that defines `symbol`, or "" if that is not known."""
        if (internal := _internal(symbol)) is not None:
            return internal[0]
        return self.defined.get(symbol) or self.defined.get(_COPY.sub("", symbol), "")

    def title(self, symbol: str) -> str:
        """Return a readable name of `symbol`: the function, and the unit if it is internal."""
        if (internal := _internal(symbol)) is not None:
            return f"{internal[1]} ({internal[0]})"
        return _COPY.sub("", symbol)

    def group(self, symbol: str) -> str:
        """Return the name of the group of `symbol`, `OTHER` if no group names it."""
        internal = _internal(symbol)
        name = internal[1] if internal else _COPY.sub("", symbol)
        for group in GROUPS:
            if any(fnmatchcase(name, pattern) for pattern in group.functions):
                return group.name
        unit = self.unit(symbol)
        for group in GROUPS:
            if any(fnmatchcase(unit, pattern) for pattern in group.units):
                return group.name
        return OTHER


def _internal(symbol: str) -> tuple[str, str] | None:
    """Return the unit and the name of a function with internal linkage, or None."""
    match = _INTERNAL.search(symbol)
    if match is None:
        return None
    unit = symbol[match.end() : match.end() + int(match[2])]
    rest = symbol[match.end(1) + int(match[1]) :]
    parts = []
    while (length := re.match(r"\d+", rest)) is not None:
        end = length.end() + int(length[0])
        parts.append(rest[length.end() : end])
        rest = rest[end:]
    return _SUFFIX.sub("", unit), "::".join(parts) or symbol
