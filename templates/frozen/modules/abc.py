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


# `class C(metaclass=ABCMeta)` gets this base.
ABCMeta._base_class = ABC


def update_abstractmethods(cls):
    names = [name for name in dir(cls) if getattr(cls, name, None) in _abstract]
    cls.__abstractmethods__ = frozenset(names)
    cls._abc_class = cls
    return cls


def abstractproperty(funcobj):
    return property(funcobj)


def abstractclassmethod(funcobj):
    return classmethod(funcobj)


def abstractstaticmethod(funcobj):
    return staticmethod(funcobj)


def get_cache_token():
    return 0
