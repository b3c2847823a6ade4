# Functions have no attributes here, so the abstract ones are kept in a list.
_abstract = []


def abstractmethod(funcobj):
    _abstract.append(funcobj)
    return funcobj


class ABCMeta(type):
    pass


class ABC:
    def __new__(cls, *args, **kwargs):
        if getattr(cls, "_abc_class", None) is not cls:
            update_abstractmethods(cls)
        missing = cls.__abstractmethods__
        if missing:
            s = "s" if len(missing) > 1 else ""
            names = ", ".join([f"'{name}'" for name in sorted(missing)])
            raise TypeError(f"Can't instantiate abstract class {cls.__name__} "
                            f"without an implementation for abstract method{s} {names}")
        return object.__new__(cls)

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        update_abstractmethods(cls)


# `class C(metaclass=ABCMeta)` gets this base.
ABCMeta._base_class = ABC


def _is_abstract(value):
    if isinstance(value, property):
        return _is_abstract(value.fget) or _is_abstract(value.fset) or _is_abstract(value.fdel)
    value = getattr(value, "__func__", value)  # of a class method
    for function in _abstract:
        if value is function:
            return True
    return False


def update_abstractmethods(cls):
    names = [name for name in dir(cls) if _is_abstract(getattr(cls, name, None))]
    cls.__abstractmethods__ = frozenset(names)
    cls._abc_class = cls
    return cls


def abstractproperty(fget=None, fset=None, fdel=None, doc=None):
    if fget is not None:
        abstractmethod(fget)
    return property(fget, fset, fdel)


def abstractclassmethod(funcobj):
    return classmethod(abstractmethod(funcobj))


def abstractstaticmethod(funcobj):
    return staticmethod(abstractmethod(funcobj))


def get_cache_token():
    return 0
