import math
import typing
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union
print(isinstance([], List), isinstance((), typing.Sequence), isinstance(5, Union[int, str]), isinstance('a', (int, List)), isinstance([], (int, List)))
print(issubclass(list, List), issubclass(dict, Sequence), isinstance(None, Optional[int]), isinstance({}, (Tuple, Dict)), issubclass(bool, Union[int, str]), isinstance(1.5, Union[int, str]))
for form in (List[int], Dict[str, int], Any):
    try: isinstance([], form)
    except TypeError as e: print(str(e)[:22])
print(math.floor(10**17 + 1), math.ceil(2**53 + 1), math.trunc(10**20), math.floor(-2.5), math.floor(True), type(math.floor(True)).__name__)
print(pow(2, 3, None), pow(2.0, 3, None), 'aaa'.rsplit('aa'), b'aaa'.rsplit(b'aa'), 'a,b,,c'.rsplit(','), ' a b '.rsplit(), 'abab'.rsplit('ab', -1), ''.rsplit('x'))
for key in ([1], {}, set(), bytearray()):
    for call in (lambda: key in {'a': 1}, lambda: {'a': 1}.get(key), lambda: {'a': 1}.pop(key, 2), lambda: key in {}, lambda: {'a': 1}[key]):
        try: print(call())
        except TypeError as e: print(e)
print((1, 2) in {'a': 1}, 5 in {'a': 1}, None in {'a': 1}, 2.5 in {'a': 1}, {'a': 1}.get(len))
class Chain:
    def __init__(self, path): self.path = path
    def __getattr__(self, name): return Chain(self.path + '/' + name)
    def __str__(self): return self.path
print(f"{Chain('a').b.c}", "{}".format(Chain('d').e), "{:>5}".format(str(Chain('f'))))
class Formatted:
    def __format__(self, spec): return 'F' + spec
class Derived(Formatted): pass
print(f"{Derived():abc}", format(Derived()))
