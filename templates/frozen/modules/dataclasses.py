# The methods of a data class are closures over its fields, not generated source.
from ucollections import OrderedDict


class _Missing:
    def __repr__(self):
        return "<dataclasses.MISSING>"


class _KeywordOnly:
    pass


MISSING = _Missing()
KW_ONLY = _KeywordOnly()


class FrozenInstanceError(AttributeError):
    pass


class _InitVar:
    def __getitem__(self, item):
        return self

    def __call__(self, item):
        return self


InitVar = _InitVar()


class Field:
    def __init__(self, default=MISSING, default_factory=MISSING, init=True, repr=True, hash=None,
                 compare=True, metadata=None, kw_only=MISSING):
        self.name = self.type = None
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.hash = hash
        self.compare = compare
        self.metadata = metadata or {}
        self.kw_only = kw_only
        self._is_var = False  # an InitVar

    def __repr__(self):
        return (f"Field(name={self.name!r},type={self.type!r},default={self.default!r},"
                f"default_factory={self.default_factory!r},init={self.init!r},repr={self.repr!r},"
                f"hash={self.hash!r},compare={self.compare!r},metadata={self.metadata!r},"
                f"kw_only={self.kw_only!r})")


def field(*, default=MISSING, default_factory=MISSING, init=True, repr=True, hash=None,
          compare=True, metadata=None, kw_only=MISSING):
    if default is not MISSING and default_factory is not MISSING:
        raise ValueError("cannot specify both default and default_factory")
    return Field(default, default_factory, init, repr, hash, compare, metadata, kw_only)


def dataclass(cls=None, *, init=True, repr=True, eq=True, order=False, unsafe_hash=False,
              frozen=False, match_args=True, kw_only=False, slots=False, weakref_slot=False):
    def process(cls):
        cls = _process(cls, init, repr, eq, order, unsafe_hash, frozen, match_args, kw_only)
        return _with_slots(cls) if slots else cls

    return process if cls is None else process(cls)


def _with_slots(cls):
    body = dict(cls.__dict__)
    if "__slots__" in body:
        raise TypeError(f"{cls.__name__} already specifies __slots__")
    inherited = [name for base in cls.__mro__[1:] for name in base.__dict__.get("__slots__", ())]
    names = [name for name, f in cls.__dataclass_fields__.items() if not f._is_var]
    body["__slots__"] = tuple([name for name in names if name not in inherited])
    for name in names:
        body.pop(name, None)
    return type(cls.__name__, cls.__bases__, body)


def _is_form(annotation, name):
    # Whether an annotation, or its text, is ClassVar or InitVar, with parameters or without.
    if isinstance(annotation, str):
        annotation = annotation.split("[")[0].split(".")[-1].strip()
        return annotation == name
    return getattr(annotation, "_name", None) == name or name == "InitVar" and annotation is InitVar


def _collect(cls, kw_only):
    fields = OrderedDict()
    for base in reversed(cls.__bases__):
        for name, inherited in getattr(base, "__dataclass_fields__", {}).items():
            fields[name] = inherited
    own = cls.__dict__
    annotations = own.get("__annotations__")
    if annotations is None:
        _check_annotations()
        annotations = {}
    for name, annotation in annotations.items():
        if annotation is KW_ONLY or _is_form(annotation, "KW_ONLY"):
            kw_only = True
            continue
        if _is_form(annotation, "ClassVar"):
            continue
        default = own.get(name, MISSING)
        found = default if isinstance(default, Field) else Field(default)
        found.name = name
        found.type = annotation
        found._is_var = _is_form(annotation, "InitVar")
        if found.kw_only is MISSING:
            found.kw_only = kw_only
        default = found.default
        if isinstance(default, (list, dict, set)):
            raise ValueError(f"mutable default {type(default)} for field {name} is not allowed: "
                             "use default_factory")
        if default is not MISSING:
            setattr(cls, name, default)
        elif name in own:
            delattr(cls, name)
        fields[name] = found
    for name, value in own.items():
        if isinstance(value, Field) and name not in annotations:
            raise TypeError(f"{name!r} is a field but has no type annotation")
    return fields


def _check_annotations():
    class Probe:
        kept: int

    if not hasattr(Probe, "__annotations__"):
        raise NotImplementedError("this build discards annotations, which name a data class's fields")


def _process(cls, init, repr, eq, order, unsafe_hash, frozen, match_args, kw_only):
    fields = cls.__dataclass_fields__ = _collect(cls, kw_only)
    cls.__dataclass_params__ = (init, repr, eq, order, unsafe_hash, frozen)
    own = cls.__dict__
    every = [f for f in fields.values() if not f._is_var]
    name = cls.__name__
    if order and not eq:
        raise ValueError("eq must be true if order is true")
    positional = [f for f in fields.values() if f.init and not f.kw_only]
    if init:
        seen = False
        for f in positional:
            if f.default is not MISSING or f.default_factory is not MISSING:
                seen = True
            elif seen:
                raise TypeError(f"non-default argument {f.name!r} follows default argument")
        if "__init__" not in own:
            cls.__init__ = _init(name, list(fields.values()), positional, frozen,
                                 hasattr(cls, "__post_init__"))
    if repr and "__repr__" not in own:
        shown = [f.name for f in every if f.repr]

        def represent(self):
            values = [f"{name}={getattr(self, name)!r}" for name in shown]
            return f"{type(self).__name__}({', '.join(values)})"

        cls.__repr__ = represent
    compared = [f.name for f in every if f.compare]

    def key(self):
        return tuple([getattr(self, name) for name in compared])

    if eq and "__eq__" not in own:
        cls.__eq__ = lambda self, other: (
            key(self) == key(other) if type(other) is type(self) else NotImplemented)
    if order:
        for method in ("__lt__", "__le__", "__gt__", "__ge__"):
            if method in own:
                raise TypeError(f"Cannot overwrite attribute {method} in class {name}. "
                                "Consider using functools.total_ordering")
        cls.__lt__ = lambda self, other: (
            key(self) < key(other) if type(other) is type(self) else NotImplemented)
        cls.__le__ = lambda self, other: (
            key(self) <= key(other) if type(other) is type(self) else NotImplemented)
        cls.__gt__ = lambda self, other: (
            key(self) > key(other) if type(other) is type(self) else NotImplemented)
        cls.__ge__ = lambda self, other: (
            key(self) >= key(other) if type(other) is type(self) else NotImplemented)
    if unsafe_hash or eq and frozen and "__hash__" not in own:
        hashed = [f.name for f in every if (f.compare if f.hash is None else f.hash)]
        cls.__hash__ = lambda self: hash(tuple([getattr(self, name) for name in hashed]))
    if frozen:
        names = [f.name for f in every]

        def refuse(self, name, value):
            if type(self) is cls or name in names:
                raise FrozenInstanceError(f"cannot assign to field {name!r}")
            object.__setattr__(self, name, value)

        def keep(self, name):
            if type(self) is cls or name in names:
                raise FrozenInstanceError(f"cannot delete field {name!r}")
            object.__delattr__(self, name)

        cls.__setattr__ = refuse
        cls.__delattr__ = keep
    if match_args and "__match_args__" not in own:
        cls.__match_args__ = tuple([f.name for f in positional])
    return cls


def _init(name, fields, positional, frozen, has_post):
    plain = not frozen
    names = [f.name for f in positional]

    def __init__(self, *args, **kwargs):
        given = len(args)
        if given > len(names):
            required = sum([1 for f in positional
                            if f.default is MISSING and f.default_factory is MISSING])
            takes = len(names) + 1
            takes = f"from {required + 1} to {takes}" if required + 1 < takes else takes
            s = "s" if takes != 1 else ""
            raise TypeError(f"{name}.__init__() takes {takes} positional argument{s} but "
                            f"{given + 1} were given")
        post = []
        missing = []
        place = 0
        used = 0
        for f in fields:
            key = f.name
            value = MISSING
            if f.init:
                if not f.kw_only:
                    if place < given:
                        value = args[place]
                        if key in kwargs:
                            raise TypeError(f"{name}.__init__() got multiple values for "
                                            f"argument {key!r}")
                    place += 1
                if value is MISSING and key in kwargs:
                    value = kwargs[key]
                    used += 1
            if value is MISSING:
                if f.default_factory is not MISSING:
                    value = f.default_factory()
                elif f.default is not MISSING:
                    value = f.default
                elif f.init:
                    missing.append(f)
                    continue
                else:
                    continue
            if f._is_var:
                post.append(value)
            elif plain:
                setattr(self, key, value)
            else:
                object.__setattr__(self, key, value)
        if used < len(kwargs):
            known = [f.name for f in fields if f.init]
            for key in kwargs:
                if key not in known:
                    raise TypeError(f"{name}.__init__() got an unexpected keyword argument {key!r}")
        if missing:
            _raise_missing(name, missing)
        if has_post:
            self.__post_init__(*post)

    return __init__


def _raise_missing(name, missing):
    kind = "positional"
    shown = [repr(f.name) for f in missing if not f.kw_only]
    if not shown:
        kind = "keyword-only"
        shown = [repr(f.name) for f in missing]
    s = "s" if len(shown) > 1 else ""
    if len(shown) > 2:
        shown = [", ".join(shown[:-1]) + ",", shown[-1]]
    raise TypeError(f"{name}.__init__() missing {len(missing)} required {kind} argument{s}: "
                    f"{' and '.join(shown)}")


def fields(class_or_instance):
    found = getattr(class_or_instance, "__dataclass_fields__", None)
    if found is None:
        raise TypeError("must be called with a dataclass type or instance")
    return tuple([f for f in found.values() if not f._is_var])


def is_dataclass(obj):
    return hasattr(obj, "__dataclass_fields__")


def _instance(obj, function):
    if isinstance(obj, type) or not is_dataclass(obj):
        raise TypeError(f"{function}() should be called on dataclass instances")


def _convert(value, each):
    if is_dataclass(value) and not isinstance(value, type):
        return each(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[_convert(item, each) for item in value])
    if isinstance(value, (list, tuple)):
        return type(value)([_convert(item, each) for item in value])
    if isinstance(value, dict):
        pairs = [(_convert(key, each), _convert(item, each)) for key, item in value.items()]
        if hasattr(value, "default_factory"):
            return type(value)(value.default_factory, pairs)
        return type(value)(pairs)
    from copy import deepcopy

    return deepcopy(value)


def asdict(obj, *, dict_factory=dict):
    _instance(obj, "asdict")

    def convert(obj):
        return dict_factory([(f.name, _convert(getattr(obj, f.name), convert))
                             for f in fields(obj)])

    return convert(obj)


def astuple(obj, *, tuple_factory=tuple):
    _instance(obj, "astuple")

    def convert(obj):
        return tuple_factory([_convert(getattr(obj, f.name), convert) for f in fields(obj)])

    return convert(obj)


def replace(obj, **changes):
    _instance(obj, "replace")
    for f in obj.__dataclass_fields__.values():
        if not f.init:
            if f.name in changes:
                raise ValueError(f"field {f.name} is declared with init=False, it cannot be "
                                 "specified with replace()")
        elif f.name not in changes:
            if f._is_var:
                if f.default is MISSING:
                    raise ValueError(f"InitVar {f.name!r} must be specified with replace()")
                changes[f.name] = f.default
            else:
                changes[f.name] = getattr(obj, f.name)
    return type(obj)(**changes)


def make_dataclass(cls_name, fields, *, bases=(), namespace=None, **options):
    annotations = OrderedDict()
    members = dict(namespace or {})
    for item in fields:
        if isinstance(item, str):
            item = (item, "typing.Any")
        annotations[item[0]] = item[1]
        if len(item) > 2:
            members[item[0]] = item[2]
    members["__annotations__"] = annotations
    return dataclass(**options)(type(cls_name, tuple(bases) or (object,), members))
