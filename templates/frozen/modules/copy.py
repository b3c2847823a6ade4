class Error(Exception):
    pass


error = Error


def _is_atomic(obj, cls):
    # Immutable objects without parts, functions and classes are their own copies.
    return (obj is None or obj is ... or obj is NotImplemented or isinstance(obj, type)
            or cls in (int, bool, float, complex, str, bytes, range, slice, property)
            or cls.__name__ in ("function", "closure", "generator", "bound_method", "module",
                                "staticmethod", "classmethod"))


def _new(obj, cls):
    # An instance of a Python class, with its native part but without a call of __init__.
    y = object.__new__(cls)
    base = _native(obj)
    while base is not None:
        for each in cls.__bases__:
            if issubclass(each, base):
                break
        if not _is_python(each):
            super(cls, y).__init__()
            break
        cls = each
    return y


def _is_python(cls):
    return "__module__" in cls.__dict__


def _native(obj):
    # The first native base of obj's class whose values a copy must take over, or None.
    for base in (dict, list, set, tuple, str, bytes, int, float, frozenset, bytearray):
        if isinstance(obj, base):
            return base
    return None


def copy(x):
    cls = type(x)
    if cls in (list, dict, set, bytearray):
        return cls(x)
    if cls in (tuple, frozenset) or _is_atomic(x, cls):
        return x
    copier = getattr(x, "__copy__", None)
    if copier is not None:
        return copier()
    return _rebuild(x, cls, lambda value: value)


def _rebuild(x, cls, each):
    if not _is_python(cls) or isinstance(x, BaseException):
        return _rebuild_native(x, cls, each)
    base = _native(x)
    if base in (tuple, str, bytes, int, float, frozenset):
        if hasattr(cls, "_fields"):
            return cls(*[each(value) for value in x])
        y = cls(x)
    else:
        y = _new(x, cls)
    if base is dict:
        for key, value in x.items():
            y[each(key)] = each(value)
    elif base is list:
        y.extend([each(value) for value in x])
    elif base is set:
        y.update([each(value) for value in x])
    return _fill(x, y, each)


def _attributes(x):
    found = getattr(x, "__dict__", None)
    if found is None:  # the class has __slots__
        found = {}
        for cls in type(x).__mro__:
            for name, value in cls.__dict__.items():
                if type(value).__name__ == "member_descriptor" and hasattr(x, name):
                    found[name] = getattr(x, name)
    return found


def _fill(x, y, each):
    getstate = getattr(x, "__getstate__", None)
    state = _attributes(x) if getstate is None else getstate()
    if getstate is not None or hasattr(y, "__setstate__"):
        state = each(state)
        if hasattr(y, "__setstate__"):
            y.__setstate__(state)
            return y
        each = lambda value: value
    for name, value in state.items():
        object.__setattr__(y, name, each(value))
    return y


def _rebuild_native(x, cls, each):
    if isinstance(x, BaseException):
        y = cls(*[each(arg) for arg in x.args])
        for name, value in getattr(x, "__dict__", {}).items():
            try:
                setattr(y, name, each(value))
            except AttributeError:
                pass
        return y
    name = cls.__name__
    if name == "deque":
        maxlen = getattr(x, "maxlen", len(x) or 1)
        return cls([each(value) for value in x], maxlen)
    if name == "OrderedDict":
        return cls([(each(key), each(value)) for key, value in x.items()])
    if name == "array":
        import array

        return array.array(_typecode(x), x)
    if isinstance(x, tuple) and hasattr(x, "_asdict"):
        return cls(*[each(value) for value in x])
    raise TypeError(f"cannot pickle '{name}' object")


def _typecode(x):
    return getattr(x, "typecode", None) or repr(x)[7]


def deepcopy(x, memo=None):
    cls = type(x)
    if _is_atomic(x, cls):
        return x
    if memo is None:
        memo = {}
    key = id(x)
    if key in memo:
        return memo[key]
    if cls is list:
        y = memo[key] = []
        for value in x:
            y.append(deepcopy(value, memo))
        return y
    if cls is dict:
        y = memo[key] = {}
        for name, value in x.items():
            y[deepcopy(name, memo)] = deepcopy(value, memo)
        return y
    if cls is tuple:
        values = [deepcopy(value, memo) for value in x]
        if key in memo:
            return memo[key]
        y = x
        for i, value in enumerate(values):
            if value is not x[i]:
                y = tuple(values)
                break
    elif cls in (set, frozenset):
        y = cls([deepcopy(value, memo) for value in x])
    elif cls is bytearray:
        y = bytearray(x)
    elif hasattr(x, "__deepcopy__"):
        y = x.__deepcopy__(memo)
    elif _is_python(cls) and not isinstance(x, BaseException) and _native(x) in (
        None, dict, list, set
    ):
        y = memo[key] = _new(x, cls)
        base = _native(x)
        if base is dict:
            for name, value in x.items():
                y[deepcopy(name, memo)] = deepcopy(value, memo)
        elif base is not None:
            values = [deepcopy(value, memo) for value in x]
            if base is list:
                y.extend(values)
            else:
                y.update(values)
        return _fill(x, y, lambda value: deepcopy(value, memo))
    else:
        y = _rebuild(x, cls, lambda value: deepcopy(value, memo))
    memo[key] = y
    # The memo keeps x alive, so that no other object gets its id.
    memo.setdefault(id(memo), []).append(x)
    return y


def replace(obj, **changes):
    return obj.__replace__(**changes)
