# Signatures of functions, for the module inspect. The bytecode has the names and defaults of
# parameters. It lacks the names of *args and **kwargs, which are those here, and annotations.
class _empty:
    pass


class _Kind:
    def __init__(self, value, name, description):
        self.value = value
        self.name = name
        self.description = description

    def __index__(self):
        return self.value

    __int__ = __index__

    def __eq__(self, other):
        return self.value == (other.value if isinstance(other, _Kind) else other)

    def __hash__(self):
        return hash(self.value)

    def __lt__(self, other):
        return self.value < int(other)

    def __le__(self, other):
        return self.value <= int(other)

    def __gt__(self, other):
        return self.value > int(other)

    def __ge__(self, other):
        return self.value >= int(other)

    def __repr__(self):
        return f"<_ParameterKind.{self.name}: {self.value}>"

    def __str__(self):
        return self.name


_ONLY = _Kind(0, "POSITIONAL_ONLY", "positional-only")
_EITHER = _Kind(1, "POSITIONAL_OR_KEYWORD", "positional or keyword")
_ARGS = _Kind(2, "VAR_POSITIONAL", "variadic positional")
_KEYWORD = _Kind(3, "KEYWORD_ONLY", "keyword-only")
_KWARGS = _Kind(4, "VAR_KEYWORD", "variadic keyword")


def _annotated(value):
    return value.__name__ if isinstance(value, type) else repr(value)


class Parameter:
    empty = _empty
    POSITIONAL_ONLY = _ONLY
    POSITIONAL_OR_KEYWORD = _EITHER
    VAR_POSITIONAL = _ARGS
    KEYWORD_ONLY = _KEYWORD
    VAR_KEYWORD = _KWARGS

    def __init__(self, name, kind, *, default=_empty, annotation=_empty):
        for each in (_ONLY, _EITHER, _ARGS, _KEYWORD, _KWARGS):
            if kind == each:
                kind = each
                break
        else:
            raise ValueError(f"value {kind!r} is not a valid Parameter.kind")
        if default is not _empty and kind in (_ARGS, _KWARGS):
            raise ValueError(f"{kind.description} parameters cannot have default values")
        if not isinstance(name, str):
            raise TypeError(f"name must be a str, not a {type(name).__name__}")
        if not name.isidentifier():
            raise ValueError(f"{name!r} is not a valid parameter name")
        self.name = name
        self.kind = kind
        self.default = default
        self.annotation = annotation

    def replace(self, **changes):
        name = changes.pop("name", self.name)
        kind = changes.pop("kind", self.kind)
        options = {"default": self.default, "annotation": self.annotation}
        options.update(changes)
        return Parameter(name, kind, **options)

    def __str__(self):
        text = self.name
        if self.annotation is not _empty:
            text += f": {_annotated(self.annotation)}"
        if self.default is not _empty:
            text += (" = " if self.annotation is not _empty else "=") + repr(self.default)
        return "*" + text if self.kind == _ARGS else "**" + text if self.kind == _KWARGS else text

    def __repr__(self):
        return f'<Parameter "{self}">'

    def _parts(self):
        return self.name, self.kind, self.default, self.annotation

    def __eq__(self, other):
        return self._parts() == other._parts() if isinstance(other, Parameter) else NotImplemented

    def __hash__(self):
        return hash(self._parts())


class BoundArguments:
    def __init__(self, signature, arguments):
        self.signature = signature
        self.arguments = arguments

    @property
    def args(self):
        found = []
        for name, parameter in self.signature.parameters.items():
            if parameter.kind in (_KEYWORD, _KWARGS) or name not in self.arguments:
                break
            value = self.arguments[name]
            if parameter.kind == _ARGS:
                found.extend(value)
            else:
                found.append(value)
        return tuple(found)

    @property
    def kwargs(self):
        found = {}
        by_name = False
        for name, parameter in self.signature.parameters.items():
            if parameter.kind in (_KEYWORD, _KWARGS) or name not in self.arguments:
                by_name = by_name or parameter.kind != _ARGS
            if by_name and name in self.arguments:
                if parameter.kind == _KWARGS:
                    found.update(self.arguments[name])
                else:
                    found[name] = self.arguments[name]
        return found

    def apply_defaults(self):
        made = {}
        for name, parameter in self.signature.parameters.items():
            if name in self.arguments:
                made[name] = self.arguments[name]
            elif parameter.default is not _empty:
                made[name] = parameter.default
            elif parameter.kind == _ARGS:
                made[name] = ()
            elif parameter.kind == _KWARGS:
                made[name] = {}
        self.arguments = made

    def __eq__(self, other):
        if not isinstance(other, BoundArguments):
            return NotImplemented
        return self.signature == other.signature and self.arguments == other.arguments

    def __repr__(self):
        shown = ", ".join([f"{name}={value!r}" for name, value in self.arguments.items()])
        return f"<BoundArguments ({shown})>"


class Signature:
    empty = _empty

    def __init__(self, parameters=None, *, return_annotation=_empty):
        self.parameters = {}
        last = _ONLY
        defaults = False
        for each in parameters or ():
            if each.kind < last:
                raise ValueError(f"wrong parameter order: {last.description} parameter before "
                                 f"{each.kind.description} parameter")
            if each.kind in (_ONLY, _EITHER):
                if each.default is _empty and defaults:
                    raise ValueError("non-default argument follows default argument")
                defaults = defaults or each.default is not _empty
            if each.name in self.parameters:
                raise ValueError(f"duplicate parameter name: {each.name!r}")
            last = each.kind
            self.parameters[each.name] = each
        self.return_annotation = return_annotation

    @classmethod
    def from_callable(cls, obj, **options):
        return signature(obj)

    def replace(self, **changes):
        parameters = changes.get("parameters", self.parameters.values())
        result = changes.get("return_annotation", self.return_annotation)
        return Signature(parameters, return_annotation=result)

    def _bind(self, args, kwargs, partial):
        found = {}
        left = list(args)
        kwargs = dict(kwargs)
        rest = None
        for name, parameter in self.parameters.items():
            kind = parameter.kind
            if kind == _ARGS:
                if left:
                    found[name] = tuple(left)
                left = []
            elif kind == _KWARGS:
                rest = name
            elif kind in (_ONLY, _EITHER) and left:
                if kind == _EITHER and name in kwargs:
                    raise TypeError(f"multiple values for argument {name!r}")
                found[name] = left.pop(0)
            elif kind != _ONLY and name in kwargs:
                found[name] = kwargs.pop(name)
            elif parameter.default is _empty and not partial:
                if name in kwargs:
                    raise TypeError("got some positional-only arguments passed as keyword arguments: "
                                    f"{name!r}")
                raise TypeError(f"missing a required argument: {name!r}")
        if left:
            raise TypeError("too many positional arguments")
        if kwargs:
            if rest is None:
                for name in kwargs:
                    raise TypeError(f"got an unexpected keyword argument {name!r}")
            found[rest] = kwargs
        return BoundArguments(self, found)

    def bind(self, *args, **kwargs):
        return self._bind(args, kwargs, False)

    def bind_partial(self, *args, **kwargs):
        return self._bind(args, kwargs, True)

    def __str__(self):
        parts = []
        only = False
        star = False
        for each in self.parameters.values():
            if each.kind == _ONLY:
                only = True
            elif only:
                parts.append("/")
                only = False
            if each.kind == _ARGS:
                star = True
            elif each.kind == _KEYWORD and not star:
                parts.append("*")
                star = True
            parts.append(str(each))
        if only:
            parts.append("/")
        text = f"({', '.join(parts)})"
        if self.return_annotation is not _empty:
            text += f" -> {_annotated(self.return_annotation)}"
        return text

    def __repr__(self):
        return f"<Signature {self}>"

    def __eq__(self, other):
        if not isinstance(other, Signature):
            return NotImplemented
        return (list(self.parameters.values()) == list(other.parameters.values())
                and self.return_annotation == other.return_annotation)

    def __hash__(self):
        return hash((tuple(self.parameters.values()), self.return_annotation))


def _of_function(function):
    positional, only, args, kwargs, _ = function._parameters
    if args:
        only = only[1:] + only[:1]  # the compiler stores the last one in the place of *args
    defaults = function.__defaults__ or ()
    named = function.__kwdefaults__ or {}
    made = []
    first = len(positional) - len(defaults)
    for i, name in enumerate(positional):
        kind = _ONLY if name[0] == "/" else _EITHER
        default = defaults[i - first] if i >= first else _empty
        made.append(Parameter(name.lstrip("/"), kind, default=default))
    if args:
        made.append(Parameter("args", _ARGS))
    for name in only:
        made.append(Parameter(name, _KEYWORD, default=named.get(name, _empty)))
    if kwargs:
        made.append(Parameter("kwargs", _KWARGS))
    return Signature(made)


def _without_first(found):
    parameters = list(found.parameters.values())
    if parameters and parameters[0].kind in (_ONLY, _EITHER):
        return Signature(parameters[1:])
    if not parameters or parameters[0].kind != _ARGS:
        raise ValueError("invalid method signature")
    return found


def _of_partial(obj):
    found = _of_function_or_callable(obj.func)
    bound = found.bind_partial(*obj.args, **obj.keywords)
    made = []
    by_name = False
    for name, each in found.parameters.items():
        if name in obj.keywords:
            by_name = True
            each = each.replace(default=obj.keywords[name])
        elif name in bound.arguments and each.kind in (_ONLY, _EITHER):
            continue
        if by_name and each.kind == _ARGS:
            continue
        if by_name and each.kind == _EITHER:
            each = each.replace(kind=_KEYWORD)
        made.append(each)
    return Signature(made)


def _of_class(cls):
    meta = type(cls)
    if meta is not type:
        call = getattr(meta, "__call__", None)
        if hasattr(call, "_parameters"):
            return _without_first(_of_function(call))
    for name in ("__new__", "__init__"):
        for base in cls.__mro__:
            function = base.__dict__.get(name)
            if isinstance(function, staticmethod):
                function = getattr(base, name)
            if function is not None:
                if hasattr(function, "_parameters"):
                    return _without_first(signature(function))
                break
    for base in cls.__mro__:
        if base is not object and not hasattr(base, "__module__"):
            raise ValueError(f"no signature found for builtin type {cls!r}")
    return Signature()


def _of_function_or_callable(obj):
    return signature(obj)


def signature(obj, *, follow_wrapped=True):
    if not callable(obj):
        raise TypeError(f"{obj!r} is not a callable object")
    if type(obj).__name__ == "bound_method":
        function = getattr(obj, "__func__", None)
        if function is None:
            raise ValueError(f"no signature found for builtin {obj!r}")
        return _without_first(signature(function))
    if isinstance(obj, type):
        return _of_class(obj)
    given = getattr(obj, "__signature__", None)
    if given is not None:
        return given
    if follow_wrapped and hasattr(obj, "__wrapped__"):
        return signature(obj.__wrapped__)
    if hasattr(obj, "_parameters"):
        return _of_function(obj)
    if type(obj).__name__ == "partial":
        return _of_partial(obj)
    call = getattr(type(obj), "__call__", None)
    if hasattr(call, "_parameters"):
        return _without_first(signature(call))
    raise ValueError(f"no signature found for builtin {obj!r}")


def getfullargspec(func):
    from collections import namedtuple

    found = signature(func)
    kinds = {kind: [] for kind in range(5)}
    for each in found.parameters.values():
        kinds[each.kind].append(each)
    plain = kinds[0] + kinds[1]
    defaults = tuple([each.default for each in plain if each.default is not _empty])
    named = {each.name: each.default for each in kinds[3] if each.default is not _empty}
    spec = namedtuple("FullArgSpec", "args varargs varkw defaults kwonlyargs kwonlydefaults annotations")
    return spec(
        [each.name for each in plain], kinds[2][0].name if kinds[2] else None,
        kinds[4][0].name if kinds[4] else None, defaults or None,
        [each.name for each in kinds[3]], named or None, {},
    )


def getcallargs(func, *args, **kwargs):
    bound = signature(func).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.arguments
