# Classes beyond the C module's, each made when a program first asks for its name.
import ucollections
from ucollections import deque

_absent = object()
_KEYWORDS = (
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
)


def __getattr__(name):
    if name == "__all__":
        return ("ChainMap", "Counter", "OrderedDict", "UserDict", "UserList", "UserString",
                "defaultdict", "deque", "namedtuple")
    if name == "abc":
        import collections.abc

        return collections.abc
    make = globals().get("_make_" + name)
    if make is None:
        raise AttributeError(f"module 'collections' has no attribute '{name}'")
    value = globals()[name] = make()
    return value


def _items(mapping):
    return "{%s}" % ", ".join([f"{key!r}: {value!r}" for key, value in mapping.items()])


def _pairs(args):
    # The argument of a dict's constructor or update, as something that a C dict accepts.
    if len(args) > 1:
        raise TypeError(f"update expected at most 1 argument, got {len(args)}")
    if not args:
        return ()
    source = args[0]
    if type(source) is dict:
        return source
    if hasattr(source, "keys"):
        return [(key, source[key]) for key in source.keys()]
    return source


def _make_defaultdict():
    class defaultdict(dict):
        __qualname__ = "defaultdict"

        def __init__(self, default_factory=None, *args, **kwargs):
            if default_factory is not None and not callable(default_factory):
                raise TypeError("first argument must be callable or None")
            super().__init__(_pairs(args), **kwargs)
            self.default_factory = default_factory

        def __getitem__(self, key):
            value = self.get(key, _absent)
            return self.__missing__(key) if value is _absent else value

        def __missing__(self, key):
            if self.default_factory is None:
                raise KeyError(key)
            value = self[key] = self.default_factory()
            return value

        def update(self, *args, **kwargs):
            super().update(_pairs(args), **kwargs)

        def copy(self):
            return type(self)(self.default_factory, self)

        __copy__ = copy

        def __or__(self, other):
            new = self.copy()
            new.update(other)
            return new

        def __repr__(self):
            return f"{type(self).__name__}({self.default_factory!r}, {_items(self)})"

    return defaultdict


def _make_Counter():
    class Counter(dict):
        __qualname__ = "Counter"

        def __init__(self, iterable=None, **kwds):
            super().__init__()
            self.update(iterable, **kwds)

        def __getitem__(self, key):
            value = self.get(key, _absent)
            return self.__missing__(key) if value is _absent else value

        def __missing__(self, key):
            return 0

        def __delitem__(self, key):
            if key in self:
                super().__delitem__(key)

        def update(self, iterable=None, **kwds):
            if iterable is None:
                pass
            elif hasattr(iterable, "keys"):
                for key in iterable.keys():
                    self[key] = self.get(key, 0) + iterable[key]
            else:
                # Count in a dict: it is faster than an instance of a subclass.
                counts = {}
                get = counts.get
                for key in iterable:
                    counts[key] = get(key, 0) + 1
                if self:
                    for key, count in counts.items():
                        self[key] = self.get(key, 0) + count
                else:
                    super().update(counts)
            for key, count in kwds.items():
                self[key] = self.get(key, 0) + count

        def subtract(self, iterable=None, **kwds):
            if iterable is not None:
                for key, count in _counts(iterable):
                    self[key] = self.get(key, 0) - count
            for key, count in kwds.items():
                self[key] = self.get(key, 0) - count

        def most_common(self, n=None):
            found = sorted(self.items(), key=lambda item: item[1], reverse=True)
            return found if n is None else found[:max(n, 0)]

        def elements(self):
            for key, count in self.items():
                for _ in range(count):
                    yield key

        def total(self):
            return sum(self.values())

        def copy(self):
            return type(self)(self)

        __copy__ = copy

        @classmethod
        def fromkeys(cls, iterable, v=None):
            raise NotImplementedError("Counter.fromkeys() is undefined.  "
                                      "Use Counter(iterable) instead.")

        def _keep(self, pairs):
            new = Counter()
            for key, count in pairs:
                if count > 0:
                    new[key] = count
            return new

        def __pos__(self):
            return self._keep(self.items())

        def __neg__(self):
            return self._keep([(key, -count) for key, count in self.items()])

        def _merge(self, other, choose):
            if not isinstance(other, Counter):
                return NotImplemented
            get = other.get
            pairs = [(key, choose(count, get(key, 0))) for key, count in self.items()]
            pairs += [(key, choose(0, count)) for key, count in other.items() if key not in self]
            return self._keep(pairs)

        def __add__(self, other):
            return self._merge(other, lambda a, b: a + b)

        def __sub__(self, other):
            return self._merge(other, lambda a, b: a - b)

        def __or__(self, other):
            return self._merge(other, max)

        def __and__(self, other):
            return self._merge(other, min)

        def _become(self, new):
            self.clear()
            super().update(dict(new.items()))
            return self

        def __iadd__(self, other):
            return self._become(self + other)

        def __isub__(self, other):
            return self._become(self - other)

        def __ior__(self, other):
            return self._become(self | other)

        def __iand__(self, other):
            return self._become(self & other)

        def __eq__(self, other):
            if isinstance(other, Counter):
                return self <= other and other <= self
            if not isinstance(other, dict) or len(self) != len(other):
                return False
            return all([key in other and other[key] == value for key, value in self.items()])

        def __ne__(self, other):
            return not self == other

        def __le__(self, other):
            if not isinstance(other, Counter):
                return NotImplemented
            return (all([count <= other[key] for key, count in self.items()])
                    and all([self[key] <= count for key, count in other.items()]))

        def __lt__(self, other):
            if not isinstance(other, Counter):
                return NotImplemented
            return self <= other and not other <= self

        def __ge__(self, other):
            if not isinstance(other, Counter):
                return NotImplemented
            return other <= self

        def __gt__(self, other):
            if not isinstance(other, Counter):
                return NotImplemented
            return other < self

        def __repr__(self):
            if not self:
                return f"{type(self).__name__}()"
            try:
                pairs = self.most_common()
            except TypeError:
                pairs = self.items()
            pairs = ", ".join([f"{key!r}: {count!r}" for key, count in pairs])
            return f"{type(self).__name__}({{{pairs}}})"

    def _counts(iterable):
        if hasattr(iterable, "keys"):
            return [(key, iterable[key]) for key in iterable.keys()]
        return [(key, 1) for key in iterable]

    return Counter


def _make_OrderedDict():
    class OrderedDict(ucollections.OrderedDict):
        __qualname__ = "OrderedDict"

        def move_to_end(self, key, last=True):
            value = self[key]
            if last:
                del self[key]
                self[key] = value
                return
            rest = [item for item in self.items() if item[0] != key]
            self.clear()
            self[key] = value
            for key, value in rest:
                self[key] = value

        def popitem(self, last=True):
            if not self:
                raise KeyError("dictionary is empty")
            if last:
                return super().popitem()
            for key in self:
                break
            return key, self.pop(key)

        def copy(self):
            return type(self)(self)

        __copy__ = copy

        @classmethod
        def fromkeys(cls, iterable, value=None):
            return cls([(key, value) for key in iterable])

        def __reversed__(self):
            return iter(list(self)[::-1])

        def __eq__(self, other):
            if isinstance(other, ucollections.OrderedDict):
                return list(self.items()) == list(other.items())
            if not isinstance(other, dict) or len(self) != len(other):
                return False
            return all([key in other and other[key] == value for key, value in self.items()])

        def __ne__(self, other):
            return not self == other

        def __or__(self, other):
            new = self.copy()
            new.update(other)
            return new

        def __ior__(self, other):
            self.update(other)
            return self

        def __repr__(self):
            return f"{type(self).__name__}({_items(self) if self else ''})"

    return OrderedDict


def namedtuple(typename, field_names, *, rename=False, defaults=None, module=None):
    if isinstance(field_names, str):
        field_names = field_names.replace(",", " ").split()
    field_names = [str(name) for name in field_names]
    typename = str(typename)
    if rename:
        seen = []
        for index, name in enumerate(field_names):
            if not _is_name(name) or name in _KEYWORDS or name[0] == "_" or name in seen:
                field_names[index] = f"_{index}"
            seen.append(name)
    # Types of the library such as "time.struct_time" have a dot in their names.
    for name in (field_names if module == "builtins" else [typename] + field_names):
        if not _is_name(name):
            raise ValueError(f"Type names and field names must be valid identifiers: {name!r}")
        if name in _KEYWORDS:
            raise ValueError(f"Type names and field names cannot be a keyword: {name!r}")
    fields = []
    for name in field_names:
        if name[0] == "_" and not rename:
            raise ValueError(f"Field names cannot start with an underscore: {name!r}")
        if name in fields:
            raise ValueError(f"Encountered duplicate field name: {name!r}")
        fields.append(name)
    fields = tuple(fields)
    defaults = () if defaults is None else tuple(defaults)
    if len(defaults) > len(fields):
        raise TypeError("Got more default values than field names")
    start = len(fields) - len(defaults)
    members = {
        "_fields": fields,
        "_field_defaults": dict([(fields[start + i], d) for i, d in enumerate(defaults)]),
        "_make": classmethod(_make),
        "_replace": _replace,
        "_asdict": _asdict,
        "__setattr__": _set,
        "__match_args__": fields,
        "__module__": "__main__" if module is None else module,
    }
    base = ucollections.namedtuple(typename, fields)
    if not defaults and hasattr(base, "_fields") and hasattr(base, "_make"):
        return base
    if defaults:

        class _Defaults(base):
            def __new__(cls, *args, **kwargs):
                for i in range(max(len(args), start), len(fields)):
                    if fields[i] not in kwargs:
                        kwargs[fields[i]] = defaults[i - start]
                return super().__new__(cls, *args, **kwargs)

        base = _Defaults
    return type(typename, (base,), members)


def _set(self, name, value):
    if name in self._fields:
        raise AttributeError("can't set attribute")
    object.__setattr__(self, name, value)


def _is_name(name):
    return name and not name[0].isdigit() and all(
        [c == "_" or c.isalpha() or c.isdigit() or ord(c) > 127 for c in name])


def _make(cls, iterable):
    return cls(*iterable)


def _asdict(self):
    from collections import _Fields

    return _Fields(zip(self._fields, self))


def _make__Fields():
    # A dict with the order of the fields.
    class _Fields(ucollections.OrderedDict):
        def __repr__(self):
            return _items(self)

    return _Fields


def _replace(self, **kwargs):
    values = [kwargs.pop(name, value) for name, value in zip(self._fields, self)]
    if kwargs:
        raise ValueError(f"Got unexpected field names: {list(kwargs)!r}")
    return type(self)(*values)


def _make_ChainMap():
    from collections._user import ChainMap

    return ChainMap


def _make_UserDict():
    from collections._user import UserDict

    return UserDict


def _make_UserList():
    from collections._user import UserList

    return UserList


def _make_UserString():
    from collections._user import UserString

    return UserString
