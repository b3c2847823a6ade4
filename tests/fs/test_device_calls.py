"""Block devices written in Python, which littlefs calls in the middle of its work."""

from __future__ import annotations

import pytest

from porter.run import Device, Launch, run

DEVICE = """
import gc, vfs
act = None
class BlockDevice:
    def __init__(self): self.data = bytearray(64 * 512)
    def readblocks(self, n, buf, off=0):
        if act: act('read')
        at = n * 512 + off
        for i in range(len(buf)): buf[i] = self.data[at + i]
    def writeblocks(self, n, buf, off=0):
        if act: act('write')
        at = n * 512 + off
        for i in range(len(buf)): self.data[at + i] = buf[i]
    def ioctl(self, op, arg):
        if op == 4: return 64
        if op == 5: return 512
        if act: act('erase')
        if op == 6:
            for i in range(arg * 512, arg * 512 + 512): self.data[i] = 255
        return 0
def write(name):
    file = fs.open(name, 'w')
    file.write(name * 10)
    return [file]
def read(name):
    with fs.open(name, 'r') as file:
        return file.read()
def made():
    global bd
    bd = BlockDevice()
    kind.mkfs(bd)
    return kind(bd)
for kind in (vfs.VfsLfs1, vfs.VfsLfs2):
    fs = made()
    body(fs)
"""
# The device raises once, at each of its calls in turn.
RAISES = """
class Own(Exception): pass
def use(fs):
    files = [fs.open('f%d' % i, 'w') for i in range(3)]
    for file in files:
        file.write('text' * 50)
    for file in files:
        file.close()
    fs.mkdir('d')
    fs.rename('f0', 'd/f0')
    fs.remove('f1')
    list(fs.ilistdir('d'))
    fs.remove('d/f0')
    fs.rmdir('d')
def body(fs):
    global act, count, failed
    failed = others = 0
    for at in range(100):
        count = 0
        def act(what):
            global count
            count += 1
            if count == at:
                raise Own(what)
        try:
            use(fs)
        except Own as e:
            failed += e.args[0] in ('read', 'write', 'erase')
        except OSError:
            others += 1  # littlefs made another error of it
        act = None
        fs = made()
        use(fs)  # another one is whole
    print('>', failed > 20, others < 20)
"""
WRONG = """
def body(fs):
    found = []
    for answer in (None, True, False, 5, -5, 'x', 1.5, 1 << 70):
        read = BlockDevice.readblocks
        def wrong(self, n, buf, off=0):
            read(self, n, buf, off)
            return answer
        BlockDevice.readblocks = wrong
        try:
            found.append(kind(bd).stat('x'))
        except Exception as e:
            found.append((type(e).__name__, e.args[0] if isinstance(e, OSError) else 0))
        BlockDevice.readblocks = read
    print('>', found)
"""
ENTERED = """
def body(fs):
    global act
    seen = []
    def act(what):
        global act
        mine, act = act, None
        try:
            write('inner')
            seen.append('written')
        except OSError as e:
            seen.append(e.args[0])
        act = mine
    for i in range(20):
        try:
            write('f%d' % i)[0].close()
        except OSError as e:
            seen.append('outer')
    act = None
    print('>', 5 in seen, 'written' in seen)
"""
# Collections close unreferenced files, which must not empty a list that C code is using.
EMPTIED = """
def body(fs):
    global act, l
    l = []
    def act(what):
        while l: l.pop()
    kept = 0
    for use in (lambda: tuple(l), lambda: l[2:18], lambda: l * 2, lambda: sorted(l),
            lambda: list(zip(l, l)), lambda: (lambda *a: a)(*l, *l), lambda: list(reversed(l))):
        file = write('x')
        l = [[i] for i in range(20)]
        file.clear()
        kept += len(repr(use())) > 40 and len(repr(l)) > 40
    act = None
    print('>', kept)
"""
ASKED = """
def body(fs):
    files = write('x')
    files.clear()
    gc.collect()
    gc.collect()
    print('>', read('x'))
"""
# An unreferenced file, and a collection while its device works.
DROPPED = """
def body(fs):
    global act
    held = write('x')
    def act(what):
        held.clear()
        [bytearray(200) for i in range(20)]
        gc.collect()
    for i in range(10):
        held += write('y%d' % i)
        fs.mkdir('d%d' % i)
    held.clear()
    act = None
    gc.collect()
    write('z')[0].close()
    print('>', 'y9' in [one[0] for one in fs.ilistdir('/')], read('z'))
"""
# A file whose operation was refused during the device's work stays open.
CLOSED = """
def body(fs):
    global act
    held = write('x')
    entries = fs.ilistdir('/')
    seen = set()
    def act(what):
        for use in (held[0].close, lambda: held[0].write('z'), held[0].flush,
                lambda: fs.stat('x'), lambda: fs.statvfs('/'), lambda: next(entries),
                lambda: fs.rename('x', 'y')):
            try:
                use()
                seen.add('done')
            except OSError as e:
                seen.add(e.args[0])
        gc.collect()
    fs.mkdir('d')
    act = None
    held[0].write('y')
    held[0].close()
    held.clear()
    gc.collect()
    fs.mkdir('e')
    print('>', seen, read('x'), 'x' in [one[0] for one in entries])
"""
# A device with arbitrary actions at each of its calls.
ATTACK = """
def body(first):
    global act, fs, state
    state = 1
    held, folders = [], []
    def draw(n):
        global state
        state = state * 1103515245 + 12345 & 0x7fffffff
        return (state >> 12) % n
    def name():
        return 'abcd'[draw(4)]
    def one(of):
        return of[draw(len(of))]
    deeds = (
        lambda: held.append(fs.open(name(), 'rwa'[draw(3)])), lambda: held and one(held).close(),
        lambda: held and held.pop(draw(len(held))), lambda: held.clear(), lambda: gc.collect(),
        lambda: held and one(held).write('text' * draw(300)), lambda: fs.remove(name()),
        lambda: held and one(held).read(draw(500)), lambda: fs.rename(name(), name()),
        lambda: held and one(held).seek(draw(2000)), lambda: [[] for i in range(draw(400))],
        lambda: folders.append(fs.ilistdir('/')), lambda: folders and next(one(folders)),
        lambda: folders.clear(), lambda: fs.mkdir(name()), lambda: fs.stat(name()),
        lambda: fs.statvfs('/'), lambda: 1 // 0, lambda: held and one(held).flush(),
        lambda: kind(bd).open(name(), 'w').write('other' * draw(100)),
        lambda: folders and folders[0].__del__())
    def deed():
        try:
            deeds[draw(len(deeds))]()
        except (OSError, StopIteration, ValueError, MemoryError):
            pass
    def act(what):
        global act
        if draw(4):
            return
        mine = act
        if draw(3):
            act = None
        try:
            for i in range(draw(6)):
                deed()
        finally:
            act = mine
    mine = act
    for i in range(200):
        try:
            deed()
        except ZeroDivisionError:
            pass
        if i % 50 == 49:
            act = None
            held.clear()
            folders.clear()
            fs = made()
            act = mine
    act = None
    held.clear()
    folders.clear()
    fs = made()
    gc.collect()
    write('x')[0].close()
    print('>', read('x'))
"""


@pytest.mark.parametrize("stress", [True, False])
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (RAISES, b"True True\n" * 2),
        (WRONG, None),
        (ENTERED, b"True False\n" * 2),
        (EMPTIED, b"7\n" * 2),
        (ASKED, b"x" * 10 + b"\n" + b"x" * 10 + b"\n"),
        (DROPPED, (b"True " + b"z" * 10 + b"\n") * 2),
        (CLOSED, (b"{5} " + b"x" * 10 + b"y True\n") * 2),
        (ATTACK, (b"x" * 10 + b"\n") * 2),
    ],
    ids=["raises", "wrong", "entered", "emptied", "asked", "dropped", "closed", "attack"],
)
def test_littlefs_is_whole_whatever_a_device_does(
    roomy_device: Device, body: str, expected: bytes | None, stress: bool
) -> None:
    launch = Launch(heap=1 << 19, gc_stress=stress, deadline=30.0, stdout=1 << 14)
    result = run(roomy_device, [body + DEVICE], 2, launch)
    assert (int(result.status[1]), result.stderr[1]) == (0, b"")
    # A collection prints the exceptions of finalisers.
    lines = b"".join(
        line[2:] for line in result.stdout[1].splitlines(True) if line.startswith(b"> ")
    )
    if expected is not None:
        assert lines == expected
        return
    for line in lines.decode().splitlines():
        answers = [str(one) for one in eval(line)]
        assert answers[2] == "('OSError', 5)" and answers[5:7] == ["('TypeError', 0)"] * 2
