# A variable that nobody reads any more does not hold the object before.
import gc

try:
    import weakref
except ImportError:
    weakref = None


class Held:
    pass


def given_none(late):
    a = Held()
    known = weakref.ref(a)
    a = None
    if late:
        late = 2
    filler = [0, 0, 0, 0]
    gc.collect()
    print(known())


def given_a_number(late):
    a = Held()
    known = weakref.ref(a)
    a = 2.5
    if late:
        late = 2
    filler = [0, 0, 0, 0]
    gc.collect()
    print(known())


if weakref:
    given_none(1)
    given_a_number(1)
else:  # a release before 1.28
    print(None)
    print(None)
