"""Methods of built-in types, taken from the type or a derived class, check their `self`."""

from __future__ import annotations

import pytest

from porter.run import Device, Launch, run

PROGRAM = """
import array, collections, io, struct
TYPES = [int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset, range,
    slice, bool, memoryview, property, staticmethod, classmethod, super, zip, map, filter,
    enumerate, reversed, array.array, collections.deque, collections.OrderedDict, struct.Struct,
    io.StringIO, io.BytesIO, type({}.keys()), type(iter([])), type(iter({})), type(lambda: 0),
    type(x for x in ()), type(iter(set())), type(struct.iter_unpack('b', b'')), OSError,
    type(None)]
kind = TYPES[threadIdx]
SELVES = [0, None, 'a', b'a', 1.5, (), [], {}, bytearray(b'ab'), object(), int, 1j, set(),
    array.array('b', [1]), memoryview(b'ab'), collections.deque([1]), range(3)]
owners = [kind]
try:
    class Derived(kind): pass
    owners.append(Derived)
except TypeError:
    pass
for owner in owners:
    for name in dir(owner):
        try:
            method = getattr(owner, name)
        except AttributeError:
            continue
        if isinstance(method, type):
            continue
        for self in SELVES:
            for more in ((), (0,), ('a',), (None,), (1, 2), ([1],), (b'a',)):
                try:
                    method(self, *more)
                except (Exception, SystemExit):
                    pass
print('whole', len(SELVES))
"""
TYPES = 39


@pytest.mark.parametrize("sandbox", [False, True], ids=["open", "sandbox"])
def test_each_method_with_each_self(any_device: Device, sandbox: bool) -> None:
    launch = Launch(heap=1 << 20, max_steps=20_000_000, sandbox=sandbox)
    result = run(any_device, [PROGRAM], TYPES, launch)
    ends = {i: bytes(result.stderr[i]) for i in range(TYPES) if result.stdout[i] != b"whole 17\n"}
    assert not ends
