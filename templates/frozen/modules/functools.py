WRAPPER_ASSIGNMENTS = ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__")
WRAPPER_UPDATES = ("__dict__",)
_absent = object()


def reduce(function, iterable, initial=_absent):
    for item in iterable:
        initial = item if initial is _absent else function(initial, item)
    if initial is _absent:
        raise TypeError("reduce() of empty iterable with no initial value")
    return initial


def update_wrapper(wrapper, wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=WRAPPER_UPDATES):
    # Names that `wrapped` lacks, and that an instance cannot take, are left out.
    for name in assigned:
        try:
            value = getattr(wrapped, name)
            if value is not None or getattr(wrapper, name, name) is not None:
                setattr(wrapper, name, value)
        except AttributeError:
            pass
    if not isinstance(wrapped, type):
        for name in updated:
            for key, value in getattr(wrapped, name, {}).items():
                setattr(wrapper, key, value)
    wrapper.__wrapped__ = wrapped
    return wrapper


def wraps(wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=WRAPPER_UPDATES):
    return lambda wrapper: update_wrapper(wrapper, wrapped, assigned, updated)


def cache(user_function):
    return lru_cache(None)(user_function)


def lru_cache(maxsize=128, typed=False):
    if callable(maxsize):
        return _cached(maxsize, 128, False)
    if isinstance(maxsize, int):
        maxsize = max(maxsize, 0)
    elif maxsize is not None:
        raise TypeError("Expected first argument to be an integer, a callable, or None")
    return lambda user_function: _cached(user_function, maxsize, typed)


def _cached(function, maxsize, typed):
    # The wrappers have their state in default values and not in cells: calls of a closure nest in
    # the C stack, calls of a function do not.
    found = {}
    counts = [0, 0]  # hits, misses
    if maxsize is None:

        def wrapper(*args, _f=function, _found=found, _counts=counts, _typed=typed, **kwargs):
            key = args
            if kwargs or _typed:
                key = _key(args, kwargs, _typed)
            if key in _found:
                _counts[0] += 1
                return _found[key]
            hash(key)  # an empty dict does not hash the key it looks up
            _counts[1] += 1
            value = _f(*args, **kwargs)
            _found[key] = value
            return value

    elif maxsize == 0:

        def wrapper(*args, _f=function, _counts=counts, **kwargs):
            _counts[1] += 1
            return _f(*args, **kwargs)

    else:
        # A ring of [previous, next, key, value] from the link used least recently to the last.
        root = [None, None, None, None]
        root[0] = root[1] = root

        def wrapper(*args, _f=function, _found=found, _counts=counts, _typed=typed, _root=root,
                    _maxsize=maxsize, **kwargs):
            key = args
            if kwargs or _typed:
                key = _key(args, kwargs, _typed)
            link = _found.get(key)
            if link is not None:
                _counts[0] += 1
                value = link[3]
                link[0][1] = link[1]
                link[1][0] = link[0]
            else:
                hash(key)
                _counts[1] += 1
                value = _f(*args, **kwargs)
                if key in _found:
                    return value
                if len(_found) >= _maxsize:
                    link = _root[1]
                    _root[1] = link[1]
                    link[1][0] = _root
                    del _found[link[2]]
                    link[2] = key
                    link[3] = value
                else:
                    link = [None, None, key, value]
                _found[key] = link
            last = _root[0]
            last[1] = _root[0] = link
            link[0] = last
            link[1] = _root
            return value

    def cache_info():
        from collections import namedtuple

        info = namedtuple("CacheInfo", ["hits", "misses", "maxsize", "currsize"], module="functools")
        return info(counts[0], counts[1], maxsize, len(found))

    def cache_clear():
        found.clear()
        counts[0] = counts[1] = 0
        if maxsize:
            root[0] = root[1] = root

    wrapper.cache_info = cache_info
    wrapper.cache_clear = cache_clear
    wrapper.cache_parameters = lambda: {"maxsize": maxsize, "typed": typed}
    return update_wrapper(wrapper, function)


def _key(args, kwargs, typed):
    if kwargs:
        items = list(kwargs.items())
        args += (_absent,) + tuple(items)
    if typed:
        args += tuple([type(arg) for arg in args])
    return args


def cmp_to_key(mycmp):
    class K:
        __qualname__ = "K"

        def __init__(self, obj):
            self.obj = obj

        def __lt__(self, other):
            return mycmp(self.obj, other.obj) < 0

        def __gt__(self, other):
            return mycmp(self.obj, other.obj) > 0

        def __eq__(self, other):
            return mycmp(self.obj, other.obj) == 0

        def __le__(self, other):
            return mycmp(self.obj, other.obj) <= 0

        def __ge__(self, other):
            return mycmp(self.obj, other.obj) >= 0

        __hash__ = None

    return K


def total_ordering(cls):
    if not isinstance(cls, type) and hasattr(cls, "_member_class"):
        total_ordering(cls._member_class)  # of an enumeration
        return cls
    # The operation that the class defines, and what it says of the others, given equality.
    roots = [name for name in ("__lt__", "__le__", "__gt__", "__ge__") if hasattr(cls, name)]
    if not roots:
        raise ValueError("must define at least one ordering operation: < > <= >=")
    root = roots[0]
    defined = getattr(cls, root)
    strict = root[3] == "t"
    for name in ("__lt__", "__le__", "__gt__", "__ge__"):
        if name not in roots:
            setattr(cls, name, _derived(defined, name[2] == root[2], strict, name[3] == "t"))
    return cls


def _derived(defined, same, strict, wanted):
    # same: whether both operations have one direction; strict, wanted: whether equal is excluded.
    def compare(self, other):
        result = defined(self, other)
        if result is NotImplemented:
            return result
        if same:
            return result and self != other if wanted else result or self == other
        if strict == wanted:
            return not result and self != other if strict else not result or self == other
        return not result

    return compare


class partial:
    def __init__(self, func, *args, **keywords):
        if not callable(func):
            raise TypeError("the first argument must be callable")
        if isinstance(func, partial):
            args = func.args + args
            merged = dict(func.keywords)
            merged.update(keywords)
            keywords = merged
            func = func.func
        self.func = func
        self.args = args
        self.keywords = keywords

    def __call__(self, *args, **keywords):
        if self.keywords:
            merged = dict(self.keywords)
            merged.update(keywords)
            keywords = merged
        return self.func(*(self.args + args), **keywords)

    def __repr__(self):
        shown = [repr(self.func)] + [repr(arg) for arg in self.args]
        shown += [f"{name}={value!r}" for name, value in self.keywords.items()]
        return f"functools.partial({', '.join(shown)})"


def __getattr__(name):
    if name == "partialmethod":

        class partialmethod:
            __qualname__ = "partialmethod"

            def __init__(self, func, *args, **keywords):
                self.func = func
                self.args = args
                self.keywords = keywords

            def __get__(self, obj, cls=None):
                if obj is None:
                    return lambda obj, *args, **keywords: self.__get__(obj)(*args, **keywords)
                return partial(self.func, obj, *self.args, **self.keywords)

        value = partialmethod
    elif name == "cached_property":

        class cached_property:
            __qualname__ = "cached_property"

            def __init__(self, func):
                self.func = func
                self.attrname = func.__name__

            def __set_name__(self, owner, name):
                self.attrname = name

            def __get__(self, instance, owner=None):
                if instance is None:
                    return self
                # The instance's own attribute hides this one at the next use.
                value = self.func(instance)
                setattr(instance, self.attrname, value)
                return value

        value = cached_property
    elif name == "__all__":
        return (
            "cache", "cached_property", "cmp_to_key", "lru_cache", "partial", "partialmethod",
            "reduce", "singledispatch", "singledispatchmethod", "total_ordering",
            "update_wrapper", "wraps",
        )
    elif name == "singledispatch":
        value = _Dispatcher
    elif name == "singledispatchmethod":

        class singledispatchmethod:
            __qualname__ = "singledispatchmethod"

            def __init__(self, func):
                self.dispatcher = _Dispatcher(func)
                self.register = self.dispatcher.register

            def __get__(self, obj, cls=None):
                if obj is None:
                    return lambda *args, **kwargs: self.dispatcher.dispatch(
                        type(args[0]))(*args, **kwargs)
                return lambda *args, **kwargs: self.dispatcher.dispatch(
                    type(args[0]))(obj, *args, **kwargs)

        value = singledispatchmethod
    else:
        raise AttributeError(f"module 'functools' has no attribute '{name}'")
    globals()[name] = value
    return value


class _Dispatcher:
    def __init__(self, func):
        self.registry = {object: func}
        self.__wrapped__ = func
        self.__name__ = func.__name__

    def register(self, cls, func=None):
        if func is None:
            if type(cls) is tuple:  # a union of types
                return lambda func: self.register(cls, func)
            if not isinstance(cls, type):
                annotations = cls.__annotations__  # functions have none: AttributeError
                if not annotations:
                    raise TypeError(
                        f"Invalid first argument to `register()`: {cls!r}. Use either "
                        "`@register(some_class)` or plain `@register` on an annotated function.")
                func = cls
                for cls in annotations.values():
                    break
            else:
                return lambda func: self.register(cls, func)
        for each in cls if type(cls) is tuple else (cls,):
            self.registry[each] = func
        return func

    def dispatch(self, cls):
        if cls in self.registry:
            return self.registry[cls]
        if cls is bool:  # no subclass of int here
            cls = int
        best = object
        for known in self.registry:
            if issubclass(cls, known) and issubclass(known, best):
                best = known
        return self.registry[best]

    def __call__(self, *args, **kwargs):
        if not args:
            raise TypeError(f"{self.__name__} requires at least 1 positional argument")
        return self.dispatch(type(args[0]))(*args, **kwargs)
