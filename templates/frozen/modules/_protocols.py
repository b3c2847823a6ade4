# isinstance and issubclass for classes that stand for a set of methods (collections.abc, numbers).
#
# Built-in types have no __subclasshook__, so a class with the attribute `_abc_test` in its own dict
# decides. The functions replace the built-in ones when a module that has such classes is imported.
import builtins

_plain_isinstance = isinstance
_plain_issubclass = issubclass


def _test(cls):
    # An instance that stands for a class (enum) has the test as an attribute.
    if _plain_isinstance(cls, type):
        return cls.__dict__.get("_abc_test")
    return getattr(cls, "_abc_test", None)


def _isinstance(obj, classes):
    if type(classes) is tuple:
        return any([_isinstance(obj, cls) for cls in classes])
    test = _test(classes)
    if test is not None and test(type(obj), obj):
        return True
    return (test is None or _plain_isinstance(classes, type)) and _plain_isinstance(obj, classes)


def _issubclass(cls, classes):
    if type(classes) is tuple:
        return any([_issubclass(cls, each) for each in classes])
    cls = getattr(cls, "_member_class", cls)
    test = _test(classes)
    if test is not None and test(cls, None):
        return True
    return (test is None or _plain_isinstance(classes, type)) and _plain_issubclass(cls, classes)


def install():
    builtins.isinstance = _isinstance
    builtins.issubclass = _issubclass


# A class with the test `test(type, instance or None)`; register() adds classes to it.
def new(name, bases, members, test):
    registered = []

    def passes(cls, obj):
        return test(cls, obj) or bool(registered) and _issubclass(cls, tuple(registered))

    def register(cls, subclass):
        registered.append(subclass)
        return subclass

    members["_abc_test"] = passes
    members["register"] = classmethod(register)
    members["__class_getitem__"] = classmethod(lambda cls, item: cls)
    return type(name, bases, members)
