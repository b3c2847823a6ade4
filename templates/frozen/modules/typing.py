# Forms for annotations. A form is made when a program first asks for its name.
TYPE_CHECKING = False


class _Form:
    # A class statement calls the type of its first base with the name, the bases and the body.
    def __new__(cls, name, args=None, body=None, **kwargs):
        return object.__new__(cls) if body is None else _derived(name, args, body)

    def __init__(self, name, args=None):
        self._name = name
        self.__args__ = args

    def __getitem__(self, item):
        args = item if type(item) is tuple else (item,)
        name = self._name
        if name in ("Union", "Optional"):
            if name == "Optional":
                args = (args[0], None)
            return _union(args)
        if name == "Callable":
            args = (tuple(args[0]) if type(args[0]) is list else (args[0],)) + args[1:]
        if name == "Annotated":
            self = _Form(name, args[:1])
            self.__metadata__ = args[1:]
            return self
        if name != "Literal":
            args = tuple([type(None) if arg is None else arg for arg in args])
        return _Form(name, args)

    def __call__(self, *args, **kwargs):
        raise TypeError(f"Type {self._name} cannot be instantiated; use {self._name.lower()}() instead")

    def __instancecheck__(self, obj):
        if self._name == "Union":
            return any([isinstance(obj, arg) for arg in self.__args__])
        checked = self._checked()  # may replace isinstance
        return isinstance(obj, checked)

    def __subclasscheck__(self, cls):
        if self._name == "Union":
            return any([issubclass(cls, arg) for arg in self.__args__])
        checked = self._checked()
        return issubclass(cls, checked)

    def _checked(self):
        if self._name in _SPECIAL:
            raise TypeError(f"{self!r} cannot be used with isinstance()")
        if self.__args__ is not None:
            raise TypeError("Subscripted generics cannot be used with class and instance checks")
        return self.__origin__

    def __or__(self, other):
        return _union((self, other))

    def __ror__(self, other):
        return _union((other, self))

    def __eq__(self, other):
        if type(other) is not _Form:
            return False
        if self._name == "Union" == other._name and self.__args__:
            return set(self.__args__) == set(other.__args__ or ())
        return self._name == other._name and self.__args__ == other.__args__

    def __hash__(self):
        return hash(self._name)

    @property
    def __origin__(self):
        name = self._name
        if name in ("List", "Dict", "Set", "FrozenSet", "Tuple", "Type"):
            import builtins

            return getattr(builtins, name.lower())
        if name in ("Deque", "DefaultDict", "OrderedDict", "Counter", "ChainMap"):
            import collections

            return getattr(collections, name.lower() if name[:2] == "De" else name)
        if name in ("Generic", "Protocol"):
            return _class("_Generic")
        if name not in _SPECIAL:
            import collections.abc

            return getattr(collections.abc, "Set" if name == "AbstractSet" else name)
        return globals().get(name) or __getattr__(name)

    def __repr__(self):
        name, args = self._name, self.__args__
        if args is None:
            return "typing." + name
        if name == "Literal":
            return f"typing.Literal[{', '.join([repr(arg) for arg in args])}]"
        if name == "Union" and len(args) == 2 and args[1] is type(None):
            name, args = "Optional", args[:1]
        if name == "Callable":
            first = "..." if args[0] is ... else f"[{', '.join([_name(arg) for arg in args[:-1]])}]"
            return f"typing.Callable[{first}, {_name(args[-1])}]"
        shown = [_name(arg) for arg in args]
        if name == "Annotated":
            shown += [repr(arg) for arg in self.__metadata__]
        return f"typing.{name}[{', '.join(shown)}]"


_SPECIAL = (
    "Any", "ClassVar", "Concatenate", "Final", "Annotated", "Literal", "LiteralString",
    "Never", "NoReturn", "NotRequired", "Optional", "ReadOnly", "Required", "Self", "TypeAlias",
    "TypeGuard", "TypeIs", "Union", "Unpack",
)
_NAMES = (
    "List", "Dict", "Set", "FrozenSet", "Tuple", "Type", "Deque", "DefaultDict", "OrderedDict",
    "Counter", "ChainMap", "Callable", "AbstractSet", "AsyncGenerator", "AsyncIterable",
    "AsyncIterator", "Awaitable", "ByteString", "Collection", "Container", "Coroutine",
    "Generator", "Hashable", "ItemsView", "Iterable", "Iterator", "KeysView", "Mapping",
    "MappingView", "MutableMapping", "MutableSequence", "MutableSet", "Reversible", "Sequence",
    "Sized", "ValuesView", "AsyncContextManager", "ContextManager", "Pattern", "Match", "IO",
    "TextIO", "BinaryIO",
)


def _derived(name, bases, body):
    # The class of a class statement whose first base is a form: forms give their origin.
    classes = []
    for base in bases:
        if type(base) is _Form and base._name == "Protocol":
            _make_protocol(bases, body)
        if type(base) is _NamedTuple:
            return _named_tuple_class(name, body)
        if type(base) is _Form:
            base = base.__origin__
        if isinstance(base, type) and base is not object:
            classes.append(base)
    return type(name, tuple(classes) or (_class("_Generic"),), body)


_NO_MEMBERS = (
    "__module__", "__qualname__", "__doc__", "__annotations__", "__slots__", "__init__", "__new__",
    "__class_getitem__", "__dict__", "__weakref__", "__init_subclass__",
)


def _make_protocol(bases, body):
    # A protocol's test compares the names of its members, once runtime_checkable() has set its flag.
    names = [name for name in body if name not in _NO_MEMBERS]
    names += [name for name in body.get("__annotations__", ()) if name not in names]
    data = [name for name in names if not callable(body.get(name))]
    for base in bases:
        inherited = getattr(base, "_protocol", None)
        if inherited is not None:
            names += inherited[0]
            data += inherited[1]
    checkable = []

    def test(cls, obj):
        if not checkable:
            raise TypeError("Instance and class checks can only be used with "
                            "@runtime_checkable protocols")
        if obj is None:
            if data:
                raise TypeError("Protocols with non-method members don't support issubclass(). "
                                f"Non-method members: {str(sorted(data))[1:-1]}.")
            obj = cls
        for name in names:
            if not hasattr(obj, name) or getattr(obj, name) is None and name not in data:
                return False
        return True

    body["_protocol"] = names, data, checkable
    body["_abc_test"] = test


def runtime_checkable(cls):
    protocol = cls.__dict__.get("_protocol")
    if protocol is None:
        raise TypeError("@runtime_checkable can be only applied to protocol classes, "
                        f"got {cls!r}")
    import _protocols

    _protocols.install()
    protocol[2].append(True)
    return cls


def _named_tuple_class(name, body):
    annotations = body.get("__annotations__")
    if annotations is None:
        raise NotImplementedError("this build discards annotations, which name a tuple's fields")
    from collections import namedtuple

    fields = list(annotations)
    base = namedtuple(name, fields, defaults=[body[each] for each in fields if each in body])
    rest = dict([(key, value) for key, value in body.items() if key not in annotations])
    return type(name, (base,), rest)


class _NamedTuple:
    def __new__(cls, name=None, bases=None, body=None, **kwargs):
        return object.__new__(cls) if body is None else _derived(name, bases, body)

    def __init__(self):
        pass

    def __call__(self, typename, fields=(), **kwargs):
        from collections import namedtuple

        pairs = list(fields) + list(kwargs.items())
        return namedtuple(typename, [pair[0] for pair in pairs])


def _name(value):
    if value is ...:
        return "..."
    if value is type(None):
        return "None"
    if isinstance(value, type):
        return value.__name__
    return f"ForwardRef({value!r})" if type(value) is str else repr(value)


def _union(args):
    found = []
    for arg in args:
        if arg is None:
            arg = type(None)
        parts = arg.__args__ if type(arg) is _Form and arg._name == "Union" else (arg,)
        for part in parts:
            if part not in found:
                found.append(part)
    return found[0] if len(found) == 1 else _Form("Union", tuple(found))


def __getattr__(name):
    if name in _NAMES or name in _SPECIAL:
        value = _Form(name)
    elif name == "__all__":
        return [name for name in _NAMES + _SPECIAL] + [
            "AnyStr", "assert_never", "assert_type", "cast", "clear_overloads",
            "dataclass_transform", "final", "ForwardRef", "Generic", "get_args", "get_origin",
            "get_overloads", "get_protocol_members", "get_type_hints", "is_protocol",
            "is_typeddict", "NamedTuple", "NewType", "no_type_check", "no_type_check_decorator",
            "overload", "override", "ParamSpec", "Protocol", "reveal_type", "runtime_checkable",
            "SupportsAbs", "SupportsBytes", "SupportsComplex", "SupportsFloat", "SupportsIndex",
            "SupportsInt", "SupportsRound", "Text", "TYPE_CHECKING", "TypeAliasType", "TypedDict",
            "TypeVar", "TypeVarTuple",
        ]
    elif name == "Text":
        value = str
    elif name == "AnyStr":
        value = TypeVar("AnyStr", bytes, str)
    elif name == "ForwardRef":

        class ForwardRef:
            __qualname__ = "ForwardRef"

            def __init__(self, arg, is_argument=True):
                self.__forward_arg__ = arg

            def __repr__(self):
                return f"ForwardRef({self.__forward_arg__!r})"

        value = ForwardRef
    elif name == "NewType":

        class NewType:
            __qualname__ = "NewType"

            def __init__(self, name, tp):
                self.__name__ = name
                self.__supertype__ = tp

            def __call__(self, value):
                return value

            def __or__(self, other):
                return _union((self, other))

            def __ror__(self, other):
                return _union((other, self))

            def __repr__(self):
                return "__main__." + self.__name__

        value = NewType
    elif name == "TypeAliasType":

        class TypeAliasType:
            __qualname__ = "TypeAliasType"

            def __init__(self, name, value, *, type_params=()):
                self.__name__ = name
                self.__value__ = value
                self.__type_params__ = type_params

            def __getitem__(self, item):
                return self

            def __repr__(self):
                return self.__name__

        value = TypeAliasType
    elif name in ("ParamSpec", "TypeVarTuple"):
        value = type(name, (TypeVar,), {})
    elif name in ("Generic", "Protocol"):
        value = _Form(name)
    elif name[:8] == "Supports" and name[8:] in (
        "Abs", "Bytes", "Complex", "Float", "Index", "Int", "Round"
    ):
        value = type(name, (_class("_Generic"),), {})
    elif name == "NamedTuple":
        value = _NamedTuple()
    elif name == "TypedDict":

        class TypedDict:
            __qualname__ = "TypedDict"

            def __new__(cls, *args, **kwargs):
                if cls is not TypedDict:
                    return dict(*args, **kwargs)
                made = type(args[0], (TypedDict,), {
                    "__annotations__": dict(args[1]), "__module__": "__main__"})
                _typed_dict(made, kwargs.get("total", True))
                return made

            def __init_subclass__(cls, total=True):
                _typed_dict(cls, total)

        value = TypedDict
    elif name in ("get_type_hints", "get_protocol_members"):

        def value(obj, globalns=None, localns=None, include_extras=False):
            return dict(getattr(obj, "__annotations__", None) or {})

    elif name == "get_overloads":

        def value(func):
            return []

    else:
        raise AttributeError(f"module 'typing' has no attribute '{name}'")
    globals()[name] = value
    return value


def _typed_dict(cls, total):
    # Set the attributes of a TypedDict's class from its own annotations and those of its bases.
    own = cls.__dict__.get("__annotations__", {})
    required, optional, annotations = set(), set(), {}
    for base in cls.__bases__:
        required |= getattr(base, "__required_keys__", frozenset())
        optional |= getattr(base, "__optional_keys__", frozenset())
        annotations.update(getattr(base, "__annotations__", {}))
    for key, value in own.items():
        name = value._name if type(value) is _Form else ""
        needed = name == "Required" or total and name != "NotRequired"
        (required if needed else optional).add(key)
        (optional if needed else required).discard(key)
    annotations.update(own)
    cls.__annotations__ = annotations
    cls.__required_keys__ = frozenset(required)
    cls.__optional_keys__ = frozenset(optional)
    cls.__total__ = total


def _class(name):
    # The base of generic classes and protocols. Where classes take subscripts, a generic class with
    # parameters is the class itself.
    found = globals().get(name)
    if found is None:
        found = type(name, (), {"__class_getitem__": classmethod(lambda cls, item: cls)})
        globals()[name] = found
    return found


class TypeVar:
    def __init__(self, name, *constraints, bound=None, covariant=False, contravariant=False,
                 infer_variance=False, default=None):
        self.__name__ = name
        self.__constraints__ = constraints
        self.__bound__ = bound
        self.__covariant__ = covariant
        self.__contravariant__ = contravariant

    @property
    def args(self):
        return self

    kwargs = args

    def __iter__(self):
        yield self

    def __or__(self, other):
        return _union((self, other))

    def __ror__(self, other):
        return _union((other, self))

    def __repr__(self):
        sign = "+" if self.__covariant__ else "-" if self.__contravariant__ else "~"
        return sign + self.__name__


def cast(typ, val):
    return val


def assert_type(val, typ):
    return val


def overload(func):
    return func


final = no_type_check = override = no_type_check_decorator = overload


def clear_overloads():
    pass


def dataclass_transform(**kwargs):
    return overload


def get_origin(tp):
    if type(tp) is _Form and tp.__args__ is not None:
        return tp.__origin__
    return None if type(tp) is _Form else getattr(tp, "__origin__", None)


def get_args(tp):
    if type(tp) is _Form and tp._name == "Callable" and tp.__args__ and tp.__args__[0] is not ...:
        return (list(tp.__args__[:-1]), tp.__args__[-1])
    if type(tp) is _Form and tp._name == "Annotated" and tp.__args__:
        return tp.__args__ + tp.__metadata__
    return getattr(tp, "__args__", None) or ()


def is_typeddict(tp):
    return isinstance(tp, type) and issubclass(tp, __getattr__("TypedDict"))


def is_protocol(tp):
    return False


def assert_never(arg):
    raise AssertionError(f"Expected code to be unreachable, but got: {arg!r}")


def reveal_type(obj):
    return obj
