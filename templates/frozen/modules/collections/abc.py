# Abstract base classes, each made when a program first asks for its name.
#
# A class of Python code passes the test of a one-method class if it has the method. Types in C have
# no such attributes, so they are listed by the abstract classes that they implement.
import _protocols

_protocols.install()
_METHODS = {
    "Hashable": "__hash__",
    "Sized": "__len__",
    "Container": "__contains__",
    "Iterable": "__iter__",
    "Iterator": "__iter__ __next__",
    "Reversible": "__reversed__ __iter__",
    "Collection": "__len__ __iter__ __contains__",
    "Callable": "__call__",
    "Awaitable": "__await__",
    "Coroutine": "__await__ send throw close",
    "AsyncIterable": "__aiter__",
    "AsyncIterator": "__anext__ __aiter__",
    "AsyncGenerator": "__aiter__ __anext__ asend athrow aclose",
    "Generator": "__iter__ __next__ send throw close",
    "Buffer": "__buffer__",
}
_MIXINS = (
    "Sequence", "MutableSequence", "Set", "MutableSet", "Mapping", "MutableMapping",
    "MappingView", "KeysView", "ItemsView", "ValuesView", "ByteString",
)


def __getattr__(name):
    if name in _METHODS:
        methods = _METHODS[name].split()

        def test(cls, obj):
            if "__module__" in cls.__dict__:
                if name == "Hashable":
                    return cls.__hash__ is not None
                return all([hasattr(cls, method) for method in methods])
            if obj is not None and name == "Callable":
                return callable(obj)
            return _builtin(name, cls)

        members = {}
        if name == "Iterator":
            members["__iter__"] = lambda self: self
        value = _protocols.new(name, (), members, test)
    elif name in _MIXINS:
        import collections._mixins

        value = collections._mixins.make(name, _builtin)
    elif name == "__all__":
        return tuple(_METHODS) + _MIXINS
    else:
        raise AttributeError(f"module 'collections.abc' has no attribute '{name}'")
    globals()[name] = value
    return value


def _builtin(name, cls):
    # Whether a type in C implements the abstract class `name`.
    sequences = (list, tuple, str, bytes, bytearray, range, memoryview)
    from collections import deque

    if name == "Hashable":
        return not issubclass(cls, (list, dict, set, bytearray, deque, slice)) and (
            cls.__name__ != "dict_view")
    if name in ("Sequence", "ByteString"):
        return issubclass(cls, sequences if name == "Sequence" else (bytes, bytearray))
    if name == "MutableSequence":
        return issubclass(cls, (list, bytearray, deque))
    if name == "Set":
        return issubclass(cls, (set, frozenset)) or cls.__name__ == "dict_view"
    if name == "MutableSet":
        return issubclass(cls, set)
    if name in ("Mapping", "MutableMapping"):
        return issubclass(cls, dict)
    if name == "Buffer":
        return issubclass(cls, (bytes, bytearray, memoryview))
    sized = sequences + (dict, set, frozenset, deque)
    if name in ("Sized", "Container", "Collection"):
        return issubclass(cls, sized) or cls.__name__ == "dict_view"
    if name == "Reversible":
        return issubclass(cls, sequences + (dict, deque))
    iterators = ("generator", "iterator", "map", "filter", "zip", "enumerate", "reversed", "polymorph_iter")
    if name == "Iterable":
        return issubclass(cls, sized) or cls.__name__ in iterators or cls.__name__ == "dict_view"
    if name == "Iterator":
        return cls.__name__ in iterators
    if name in ("Generator", "Coroutine"):
        return cls.__name__ == "generator"
    if name == "Callable":
        return issubclass(cls, type) or cls.__name__ in (
            "function", "closure", "bound_method", "generator")
    return False
