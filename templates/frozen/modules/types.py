def _function():
    yield


FunctionType = LambdaType = type(_function)
GeneratorType = type(_function())
CoroutineType = GeneratorType
BuiltinFunctionType = BuiltinMethodType = type(len)
MethodType = type([].append)
ModuleType = type(__import__("ucollections"))
NoneType = type(None)
EllipsisType = type(...)
NotImplementedType = type(NotImplemented)
CodeType = type(_function.__code__) if hasattr(_function, "__code__") else type(None)


class SimpleNamespace:
    def __init__(self, mapping=None, **kwargs):
        if mapping is not None:
            for name, value in mapping.items():
                setattr(self, name, value)
        for name, value in kwargs.items():
            setattr(self, name, value)

    def __repr__(self):
        shown = [f"{name}={value!r}" for name, value in self.__dict__.items()]
        name = type(self).__name__
        return f"{'namespace' if name == 'SimpleNamespace' else name}({', '.join(shown)})"

    def __eq__(self, other):
        if not isinstance(other, SimpleNamespace):
            return NotImplemented
        return self.__dict__ == other.__dict__


def new_class(name, bases=(), kwds=None, exec_body=None):
    members = {}
    if exec_body is not None:
        exec_body(members)
    return type(name, tuple(bases) or (object,), members)


def coroutine(func):
    return func


class MappingProxyType:
    def __init__(self, mapping):
        self._mapping = mapping

    def __getitem__(self, key):
        return self._mapping[key]

    def __len__(self):
        return len(self._mapping)

    def __iter__(self):
        return iter(self._mapping)

    def __contains__(self, key):
        return key in self._mapping

    def get(self, key, default=None):
        return self._mapping.get(key, default)

    def keys(self):
        return self._mapping.keys()

    def values(self):
        return self._mapping.values()

    def items(self):
        return self._mapping.items()

    def copy(self):
        return self._mapping.copy()

    def __eq__(self, other):
        return self._mapping == getattr(other, "_mapping", other)

    def __repr__(self):
        return f"mappingproxy({self._mapping!r})"


def _is_union(cls, obj):
    return cls is tuple and bool(obj) and all([isinstance(each, type) for each in obj])


def __getattr__(name):
    if name == "GenericAlias":
        import typing

        return typing._Form
    if name == "UnionType":
        # `int | str` is a tuple of types.
        import _protocols

        _protocols.install()
        value = globals()[name] = type(name, (), {"_abc_test": _is_union})
        return value
    if name == "__all__":
        return [name for name in globals() if name[0] != "_"] + ["GenericAlias", "UnionType"]
    raise AttributeError(f"module 'types' has no attribute '{name}'")
