# The abstract classes of collections.abc that have methods of their own.
import _protocols


def make(name, builtin):
    bases, body = globals()["_" + name]()
    import collections.abc

    bases = tuple([getattr(collections.abc, base) for base in bases])
    members = dict([(key, value) for key, value in body.__dict__.items()
                    if key not in ("__module__", "__qualname__", "__name__")])
    return _protocols.new(name, bases, members, lambda cls, obj: builtin(name, cls))


def _Sequence():
    class Body:
        def __getitem__(self, index):
            raise IndexError

        def __iter__(self):
            i = 0
            try:
                while True:
                    yield self[i]
                    i += 1
            except IndexError:
                return

        def __contains__(self, value):
            for item in self:
                if item is value or item == value:
                    return True
            return False

        def __reversed__(self):
            for i in range(len(self) - 1, -1, -1):
                yield self[i]

        def index(self, value, start=0, stop=None):
            length = len(self)
            if start < 0:
                start = max(length + start, 0)
            if stop is None:
                stop = length
            elif stop < 0:
                stop += length
            for i in range(start, min(stop, length)):
                item = self[i]
                if item is value or item == value:
                    return i
            raise ValueError

        def count(self, value):
            return sum([1 for item in self if item is value or item == value])

    return (), Body


def _ByteString():
    class Body:
        pass

    return ("Sequence",), Body


def _MutableSequence():
    class Body:
        def append(self, value):
            self.insert(len(self), value)

        def clear(self):
            try:
                while True:
                    self.pop()
            except IndexError:
                pass

        def reverse(self):
            n = len(self)
            for i in range(n // 2):
                self[i], self[n - i - 1] = self[n - i - 1], self[i]

        def extend(self, values):
            for value in list(values) if values is self else values:
                self.append(value)

        def pop(self, index=-1):
            value = self[index]
            del self[index]
            return value

        def remove(self, value):
            del self[self.index(value)]

        def __iadd__(self, values):
            self.extend(values)
            return self

    return ("Sequence",), Body


def _Set():
    from collections.abc import Iterable

    # Whether `other` is a set: a built-in one, or an instance with these methods.
    def is_set(other):
        return isinstance(other, (set, frozenset)) or hasattr(other, "_from_iterable")

    class Body:
        @classmethod
        def _from_iterable(cls, it):
            return cls(it)

        def __le__(self, other):
            if not is_set(other):
                return NotImplemented
            return len(self) <= len(other) and all([item in other for item in self])

        def __lt__(self, other):
            if not is_set(other):
                return NotImplemented
            return len(self) < len(other) and all([item in other for item in self])

        def __ge__(self, other):
            if not is_set(other):
                return NotImplemented
            return len(self) >= len(other) and all([item in self for item in other])

        def __gt__(self, other):
            if not is_set(other):
                return NotImplemented
            return len(self) > len(other) and all([item in self for item in other])

        def __eq__(self, other):
            if not is_set(other):
                return NotImplemented
            return len(self) == len(other) and all([item in other for item in self])

        def __and__(self, other):
            if not isinstance(other, Iterable):
                return NotImplemented
            return self._from_iterable([item for item in other if item in self])

        def __or__(self, other):
            if not isinstance(other, Iterable):
                return NotImplemented
            return self._from_iterable(list(self) + list(other))

        def __sub__(self, other):
            if not is_set(other):
                other = list(other)
            return self._from_iterable([item for item in self if item not in other])

        def __xor__(self, other):
            if not is_set(other):
                other = self._from_iterable(other)
            return self._from_iterable([item for item in self if item not in other]
                                       + [item for item in other if item not in self])

        def __rsub__(self, other):
            return self._from_iterable([item for item in other if item not in self])

        __rand__ = __and__
        __ror__ = __or__
        __rxor__ = __xor__

        def isdisjoint(self, other):
            return not any([item in self for item in other])

        def _hash(self):
            return hash(frozenset(self))

    return ("Collection",), Body


def _MutableSet():
    class Body:
        def remove(self, value):
            if value not in self:
                raise KeyError(value)
            self.discard(value)

        def pop(self):
            for value in self:
                self.discard(value)
                return value
            raise KeyError

        def clear(self):
            for value in list(self):
                self.discard(value)

        def __ior__(self, it):
            for value in it:
                self.add(value)
            return self

        def __iand__(self, it):
            for value in list(self):
                if value not in it:
                    self.discard(value)
            return self

        def __isub__(self, it):
            for value in list(it):
                self.discard(value)
            return self

        def __ixor__(self, it):
            for value in list(it):
                if value in self:
                    self.discard(value)
                else:
                    self.add(value)
            return self

    return ("Set",), Body


def _Mapping():
    class Body:
        def __getitem__(self, key):
            raise KeyError

        def get(self, key, default=None):
            try:
                return self[key]
            except KeyError:
                return default

        def __contains__(self, key):
            try:
                self[key]
            except KeyError:
                return False
            return True

        def keys(self):
            from collections.abc import KeysView

            return KeysView(self)

        def items(self):
            from collections.abc import ItemsView

            return ItemsView(self)

        def values(self):
            from collections.abc import ValuesView

            return ValuesView(self)

        def __eq__(self, other):
            if not isinstance(other, dict) and not hasattr(other, "items"):
                return NotImplemented
            return dict([(key, self[key]) for key in self]) == dict(
                [(key, value) for key, value in other.items()])

        __reversed__ = None
        __hash__ = None

    return ("Collection",), Body


def _MutableMapping():
    class Body:
        def pop(self, key, *default):
            try:
                value = self[key]
            except KeyError:
                if default:
                    return default[0]
                raise
            del self[key]
            return value

        def popitem(self):
            for key in self:
                value = self[key]
                del self[key]
                return key, value
            raise KeyError

        def clear(self):
            for key in list(self):
                del self[key]

        def update(self, other=(), **kwds):
            if hasattr(other, "keys"):
                for key in other.keys():
                    self[key] = other[key]
            else:
                for key, value in other:
                    self[key] = value
            for key, value in kwds.items():
                self[key] = value

        def setdefault(self, key, default=None):
            try:
                return self[key]
            except KeyError:
                self[key] = default
            return default

    return ("Mapping",), Body


def _MappingView():
    class Body:
        def __init__(self, mapping):
            self._mapping = mapping

        def __len__(self):
            return len(self._mapping)

        def __repr__(self):
            return f"{self.__class__.__name__}({self._mapping!r})"

    return (), Body


def _KeysView():
    class Body:
        @classmethod
        def _from_iterable(cls, it):
            return set(it)

        def __contains__(self, key):
            return key in self._mapping

        def __iter__(self):
            return iter(self._mapping)

    return ("MappingView", "Set"), Body


def _ItemsView():
    class Body:
        @classmethod
        def _from_iterable(cls, it):
            return set(it)

        def __contains__(self, item):
            key, value = item
            return key in self._mapping and self._mapping[key] == value

        def __iter__(self):
            for key in self._mapping:
                yield key, self._mapping[key]

    return ("MappingView", "Set"), Body


def _ValuesView():
    class Body:
        def __contains__(self, value):
            for key in self._mapping:
                if self._mapping[key] == value:
                    return True
            return False

        def __iter__(self):
            for key in self._mapping:
                yield self._mapping[key]

    return ("MappingView", "Collection"), Body
