# Classes that wrap a mapping, a list or a string.
from collections.abc import MutableMapping, MutableSequence, Sequence


class ChainMap(MutableMapping):
    __module__ = "collections"

    def __init__(self, *maps):
        self.maps = list(maps) or [{}]

    def __missing__(self, key):
        raise KeyError(key)

    def __getitem__(self, key):
        for mapping in self.maps:
            if key in mapping:
                return mapping[key]
        return self.__missing__(key)

    def get(self, key, default=None):
        return self[key] if key in self else default

    def _merged(self):
        found = {}
        for mapping in self.maps[::-1]:
            for key in mapping:
                found[key] = None
        return found

    def __len__(self):
        return len(self._merged())

    def __iter__(self):
        return iter(self._merged())

    def __contains__(self, key):
        return any([key in mapping for mapping in self.maps])

    def __bool__(self):
        return any(self.maps)

    def __repr__(self):
        return f"ChainMap({', '.join([repr(mapping) for mapping in self.maps])})"

    def copy(self):
        return self.__class__(self.maps[0].copy(), *self.maps[1:])

    __copy__ = copy

    def new_child(self, m=None, **kwargs):
        if m is None:
            m = kwargs
        elif kwargs:
            m.update(kwargs)
        return self.__class__(m, *self.maps)

    @property
    def parents(self):
        return self.__class__(*self.maps[1:])

    def __setitem__(self, key, value):
        self.maps[0][key] = value

    def __delitem__(self, key):
        if key not in self.maps[0]:
            raise KeyError(f"Key not found in the first mapping: {key!r}")
        del self.maps[0][key]

    def popitem(self):
        if not self.maps[0]:
            raise KeyError("No keys found in the first mapping.")
        return self.maps[0].popitem()

    def pop(self, key, *args):
        if key not in self.maps[0] and not args:
            raise KeyError(f"Key not found in the first mapping: {key!r}")
        return self.maps[0].pop(key, *args)

    def clear(self):
        self.maps[0].clear()

    def __or__(self, other):
        new = self.copy()
        new.maps[0].update(other)
        return new

    def __ior__(self, other):
        self.maps[0].update(other)
        return self


class UserDict(MutableMapping):
    __module__ = "collections"

    def __init__(self, dict=None, **kwargs):
        self.data = {}
        if dict is not None:
            self.update(dict)
        if kwargs:
            self.update(kwargs)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, key):
        if key in self.data:
            return self.data[key]
        if hasattr(self, "__missing__"):
            return self.__missing__(key)
        raise KeyError(key)

    def __setitem__(self, key, item):
        self.data[key] = item

    def __delitem__(self, key):
        del self.data[key]

    def __iter__(self):
        return iter(self.data)

    def __contains__(self, key):
        return key in self.data

    def get(self, key, default=None):
        return self[key] if key in self else default

    def __repr__(self):
        return repr(self.data)

    def __or__(self, other):
        new = self.copy()
        new.update(other)
        return new

    def __ror__(self, other):
        new = self.__class__(other)
        new.update(self)
        return new

    def __ior__(self, other):
        self.update(other)
        return self

    def copy(self):
        new = self.__class__()
        for name, value in self.__dict__.items():
            setattr(new, name, value)
        new.data = self.data.copy()
        return new

    __copy__ = copy

    @classmethod
    def fromkeys(cls, iterable, value=None):
        new = cls()
        for key in iterable:
            new[key] = value
        return new


class _Wrapper(Sequence):
    # The base of UserList and UserString: data, and operators that make another instance.

    __module__ = "collections"

    def _of(self, other):
        return other.data if isinstance(other, _Wrapper) else other

    def __len__(self):
        return len(self.data)

    def __contains__(self, item):
        return self._of(item) in self.data

    def __iter__(self):
        return iter(self.data)

    def __repr__(self):
        return repr(self.data)

    def __eq__(self, other):
        return self.data == self._of(other)

    def __ne__(self, other):
        return self.data != self._of(other)

    def __lt__(self, other):
        return self.data < self._of(other)

    def __le__(self, other):
        return self.data <= self._of(other)

    def __gt__(self, other):
        return self.data > self._of(other)

    def __ge__(self, other):
        return self.data >= self._of(other)

    def __add__(self, other):
        return self.__class__(self.data + self._of(other))

    def __radd__(self, other):
        return self.__class__(self._of(other) + self.data)

    def __mul__(self, n):
        return self.__class__(self.data * n)

    __rmul__ = __mul__

    def count(self, item, *args):
        return self.data.count(self._of(item), *args)

    def index(self, item, *args):
        return self.data.index(self._of(item), *args)


class UserList(_Wrapper, MutableSequence):
    __module__ = "collections"

    def __init__(self, initlist=None):
        self.data = [] if initlist is None else list(initlist)

    def __getitem__(self, i):
        if isinstance(i, slice):
            return self.__class__(self.data[i])
        return self.data[i]

    def __setitem__(self, i, item):
        self.data[i] = item

    def __delitem__(self, i):
        del self.data[i]

    def __iadd__(self, other):
        self.data += list(other)
        return self

    def __imul__(self, n):
        self.data *= n
        return self

    def append(self, item):
        self.data.append(item)

    def insert(self, i, item):
        self.data.insert(i, item)

    def pop(self, i=-1):
        return self.data.pop(i)

    def remove(self, item):
        self.data.remove(item)

    def clear(self):
        self.data.clear()

    def copy(self):
        return self.__class__(self)

    __copy__ = copy

    def reverse(self):
        self.data.reverse()

    def sort(self, *args, **kwargs):
        self.data.sort(*args, **kwargs)

    def extend(self, other):
        self.data.extend(other)


class UserString(_Wrapper):
    __module__ = "collections"

    def __init__(self, seq):
        self.data = str(seq)

    def __str__(self):
        return self.data

    def __hash__(self):
        return hash(self.data)

    def __int__(self):
        return int(self.data)

    def __float__(self):
        return float(self.data)

    def __getitem__(self, i):
        return self.__class__(self.data[i])

    def __mod__(self, args):
        return self.__class__(self.data % args)

    def __getattr__(self, name):
        # Methods of str whose result is a string return an instance of this class.
        method = getattr("", name)
        if callable(method) and "data" in self.__dict__:
            cls = self.__class__

            def call(*args, **kwargs):
                args = [self._of(arg) for arg in args]
                result = getattr(self.data, name)(*args, **kwargs)
                return cls(result) if type(result) is str and name != "join" else result

            return call
        raise AttributeError(f"'UserString' object has no attribute '{name}'")
