# Uses an interpreter fully, as a module of its own: what stopped programs left must not show here.
import errno
import gc
import io
import os
import sys

done: list[str] = []


def check(name, value):
    done.append(name if value else "WRONG " + name)


check("allocate", sum(len([i] * 50) for i in range(200)) == 10000)
gc.collect()
gc.collect()
check("collect", gc.isenabled())
check("text", "".join(str(i) for i in range(12)) == "01234567891011")
check("dict", {str(i): i for i in range(50)}["37"] == 37)
check("set", len({i % 7 for i in range(50)}) == 7)
check("sort", sorted([3, 1, 2], key=lambda x: -x) == [3, 2, 1])
check("big", (1 << 100) // 3 % 1000 == 125)
check("floats", repr(0.1 + 0.2)[:5] == "0.300")

with open("/used.txt", "w") as file:
    file.write("written")
with open("/used.txt") as file:
    check("open", file.read() == "written")
os.remove("/used.txt")
try:
    os.stat("/used.txt")
except OSError as error:
    check("remove", error.errno == errno.ENOENT)
with open("/used_module.py", "w") as file:
    file.write("answer = 42\n")
sys.modules.pop("used_module", None)
import used_module  # noqa: E402

check("import", used_module.answer == 42)

check("compile", eval(compile("6 * 7", "f", "eval")) == 42)
names: dict[str, int] = {}
exec("class A:\n    x = 1\ny = A.x + 1", names)
check("exec", names["y"] == 2 and "x" not in names)
try:
    exec("def f(:")
except SyntaxError:
    check("syntax", True)


class Body:
    value = 5


outside = 6
check("class", Body.value == 5 and globals()["outside"] == 6)


def numbers():
    try:
        yield 1
        yield 2
    finally:
        done.append("closed")


some = numbers()
check("generator", next(some) == 1)
some.close()
try:
    names["missing"]
except KeyError as error:
    check("exception", error.args == ("missing",))
check("exc_info", sys.exc_info() == (None, None, None))

stream = io.StringIO()
print("printed", file=stream)
check("print", stream.getvalue() == "printed\n")


class Held:
    pass


def unused(depth):
    check("allocate", len([0] * 20) == 20)
    if depth:
        return unused(depth - 1)
    return None


def leave():
    for i in range(8):  # one of them may still be on C's stack
        open(f"/left{i}", "w").write("x")  # noqa: SIM115


leave()
unused(20)
gc.collect()
check("finaliser", any(os.stat(f"/left{i}")[6] == 1 for i in range(8)))
for i in range(8):
    os.remove(f"/left{i}")
try:
    import weakref
except ImportError:
    weakref = None  # type: ignore[assignment]
if weakref:
    kept: list[object] = []

    def refer():
        for _i in range(20):
            one = Held()
            kept.append(weakref.ref(one, lambda reference: done.append("called back")))

    refer()
    unused(20)
    gc.collect()
    check("weakref", "called back" in done)
try:
    import micropython

    micropython.schedule(done.append, "scheduled")
    check("loop", sum(i for i in range(300)) == 44850)
    check("schedule", "scheduled" in done)
    check("locks", not micropython.heap_locked())
except ImportError:
    pass
wrong = [name for name in done if name.startswith("WRONG")]
print("used", wrong)
