# Predicates and members of objects. The interpreter has no frames and source.


def __getattr__(name):
    if name in ("signature", "Signature", "Parameter", "BoundArguments", "getfullargspec",
                "getcallargs"):
        import _signatures

        value = globals()[name] = getattr(_signatures, name)
        return value
    raise AttributeError(f"module 'inspect' has no attribute '{name}'")


def _name(obj):
    return type(obj).__name__


def ismodule(obj):
    return _name(obj) == "module"


def isclass(obj):
    return isinstance(obj, type)


def isfunction(obj):
    return hasattr(obj, "_parameters")


def ismethod(obj):
    return _name(obj) == "bound_method"


def isbuiltin(obj):
    return _name(obj) == "function" and not isfunction(obj)


def isroutine(obj):
    return isfunction(obj) or ismethod(obj)


def isgenerator(obj):
    return _name(obj) == "generator" and hasattr(obj, "send")


iscoroutine = isawaitable = isgenerator


def isgeneratorfunction(obj):
    return isfunction(obj) and obj._parameters[4]


iscoroutinefunction = isgeneratorfunction


def isabstract(obj):
    return bool(getattr(obj, "__abstractmethods__", False))


def isdatadescriptor(obj):
    return _name(obj) == "property" or hasattr(type(obj), "__set__")


def getmembers(obj, predicate=None):
    found = []
    for name in sorted(dir(obj)):
        try:
            value = getattr(obj, name)
        except AttributeError:
            continue
        if predicate is None or predicate(value):
            found.append((name, value))
    return found


def getmro(cls):
    found = [cls]
    for base in cls.__bases__:
        for each in getmro(base):
            if each not in found:
                found.append(each)
    if object in found:
        found.remove(object)
    return tuple(found + [object])


def getdoc(obj):
    doc = getattr(obj, "__doc__", None)
    if doc is None and isinstance(obj, type):
        for cls in obj.__mro__:
            doc = doc or cls.__doc__
    return cleandoc(doc) if isinstance(doc, str) else None


def cleandoc(doc):
    from textwrap import dedent

    first, _, rest = doc.partition("\n")
    return (first.lstrip() + "\n" + dedent(rest)).strip("\n") if rest else first.lstrip()


def getmodule(obj):
    import sys

    return sys.modules.get(getattr(obj, "__module__", None))


def unwrap(func):
    while hasattr(func, "__wrapped__"):
        func = func.__wrapped__
    return func
