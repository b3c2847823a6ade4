"""Changes that a new release may bring, made to a copy of an existing release."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

FOLDERS = ("py", "extmod", "shared", "lib", "tools", "tests/feature_check")
TESTS = ("basics/0prelim.py", "basics/list1.py", "basics/try1.py", "float/float1.py")
RUNNER = ("run-tests.py", "test_utils.py")  # upstream's runner, and later companions

# A new module in a separate file, listed in upstream's makefile.
MODULE = """\
#include "py/runtime.h"

mp_obj_t list_injected_count(void);
mp_obj_t list_injected_entry(mp_obj_t index);
mp_obj_t list_injected_guard(mp_obj_t function);
static MP_DEFINE_CONST_FUN_OBJ_0(count_obj, list_injected_count);
static MP_DEFINE_CONST_FUN_OBJ_1(entry_obj, list_injected_entry);
static MP_DEFINE_CONST_FUN_OBJ_1(guard_obj, list_injected_guard);

static const mp_rom_map_elem_t injected_globals_table[] = {
    { MP_ROM_QSTR(MP_QSTR___name__), MP_ROM_QSTR(MP_QSTR_injected) },
    { MP_ROM_QSTR(MP_QSTR_count), MP_ROM_PTR(&count_obj) },
    { MP_ROM_QSTR(MP_QSTR_entry), MP_ROM_PTR(&entry_obj) },
    { MP_ROM_QSTR(MP_QSTR_guard), MP_ROM_PTR(&guard_obj) },
};
static MP_DEFINE_CONST_DICT(injected_globals, injected_globals_table);

const mp_obj_module_t mp_module_injected = {
    .globals = (mp_obj_dict_t *)&injected_globals, // out of order
    .base = { &mp_type_module },
};
MP_REGISTER_MODULE(MP_QSTR_injected, mp_module_injected);
"""

# Appended to an existing file.
STATICS = """
static int injected_calls; // a mutable static of the file, and one of a function

mp_obj_t list_injected_count(void) {
    static int inside = 40;
    inside += 2;
    mp_obj_t items[] = { mp_obj_new_int(++injected_calls), mp_obj_new_int(inside) };
    return mp_obj_new_tuple(2, items);
}
"""

DESIGNATED = """
typedef struct {
    int code;
    struct { int low, high; } range;
    short cells[4];
    const char *word;
} injected_entry_t;

static const injected_entry_t injected_entries[] = {
    [1] = { .word = "one", .range.high = 7, .cells[2] = 5, .code = 1, .range.low = 3 },
    [0] = { .cells = { [3] = 9 }, .word = "zero" },
};

mp_obj_t list_injected_entry(mp_obj_t index) {
    const injected_entry_t *entry = &injected_entries[mp_obj_get_int(index)];
    mp_obj_t items[6] = {
        [5] = mp_obj_new_str(entry->word, strlen(entry->word)),
        [0] = mp_obj_new_int(entry->code),
        mp_obj_new_int(entry->range.low),
        mp_obj_new_int(entry->range.high),
        mp_obj_new_int(entry->cells[2]),
        mp_obj_new_int(entry->cells[3]),
    };
    return mp_obj_new_tuple(6, items);
}
"""

HANDLER = """
mp_obj_t list_injected_guard(mp_obj_t function) {
    nlr_buf_t nlr;
    if (nlr_push(&nlr) == 0) {
        mp_obj_t result = mp_call_function_0(function);
        nlr_pop();
        return result;
    }
    return MP_OBJ_FROM_PTR(mp_obj_get_type(MP_OBJ_FROM_PTR(nlr.ret_val)));
}
"""

# A hook of the port that is called with another signature, as in later releases.
LOCALTIME = """{
            timeutils_struct_time_t now;
            mp_time_localtime_get(&now);
            mp_obj_t year = mp_obj_new_int(now.tm_year);
            return mp_obj_new_tuple(1, &year);
        }"""

PROGRAM = """\
import injected, time
print(time.localtime()[0] > 2000)
print(injected.count(), injected.count())
print(injected.entry(0), injected.entry(1))
print(injected.guard(lambda: 5), injected.guard(lambda: 1 // 0))
try:
    injected.entry(None)
except TypeError:
    print("TypeError")
print(injected.guard(lambda: injected.guard(lambda: [][1])))
"""
EXPECTED = """\
True
(1, 42) (2, 44)
(0, 0, 0, 0, 9, 'zero') (1, 3, 7, 5, 0, 'one')
5 <class 'ZeroDivisionError'>
TypeError
<class 'IndexError'>
"""

COMPILE_NODE = re.compile(
    r"^static void compile_node\(compiler_t \*comp, mp_parse_node_t pn\) \{\n.*?^\}\n",
    re.MULTILINE | re.DOTALL,
)


def copy_release(upstream: Path, into: Path) -> Path:
    """Copy the files of a release that a build and a few tests need, for modification."""
    for name in FOLDERS:
        shutil.copytree(upstream / name, into / name)
    for name in TESTS + RUNNER:
        for path in (upstream / "tests").glob(f"{name}*"):
            target = into / "tests" / path.relative_to(upstream / "tests")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    return into


def inject_all_handled(tree: Path) -> None:
    """Inject all changes that must succeed: initialisers, statics, a handler, a module, a move, a
    hook.
    """
    (tree / "extmod/modinjected.c").write_text(MODULE)
    change(tree / "extmod/extmod.mk", "\textmod/modheapq.c", "\textmod/modinjected.c \\\n\\g<0>")
    append(tree / "py/objlist.c", "#include <string.h>\n" + STATICS + DESIGNATED + HANDLER)
    move_function(tree / "py/compile.c")
    time = tree / "extmod/modtime.c"
    if "return mp_time_localtime_get();" in time.read_text():
        change(time, r"return mp_time_localtime_get\(\);", LOCALTIME)
    else:
        change(time, r"mp_time_localtime_get\(&(\w+)\);", r"mp_time_localtime_get((&\1));")
    for name in ("injected", "injected_again"):  # two interpreters, each with its own statics
        (tree / "tests/basics" / f"{name}.py").write_text(PROGRAM)
        (tree / "tests/basics" / f"{name}.py.exp").write_text(EXPECTED)


def move_function(file: Path) -> None:
    """Move the patched function to the end, with other text around it; its prototype stays."""
    text = file.read_text()
    found = COMPILE_NODE.search(text)
    assert found is not None
    rest = text[: found.start()] + text[found.end() :]
    end = rest.rindex("#endif")
    moved = f"// moved\n\n{found[0]}\n"
    file.write_text("// shifted\n" * 40 + rest[:end] + moved + rest[end:])


def append(file: Path, text: str) -> None:
    """Append `text` to `file`."""
    file.write_text(file.read_text() + text)


def change(file: Path, pattern: str, to: str, count: int = 1) -> None:
    """Replace `pattern` in `file`, which must hold it."""
    text, found = re.subn(pattern, to, file.read_text(), count=count)
    assert found, f"{pattern} is not in {file}"
    file.write_text(text)
