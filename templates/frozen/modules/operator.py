# Each function is made when a program first asks for it.


def __getattr__(name):
    plain = name.strip("_") if name[:2] == "__" else name
    if plain in _BINARY:
        value = _binary(plain)
    elif plain in _OTHER:
        value = _other(plain)
    elif plain[:1] == "i" and plain[1:] in _IN_PLACE:
        value = _in_place(plain[1:])
    elif name == "__all__":
        return [n for n in _BINARY + _OTHER if n not in ("and", "or", "not")] + [
            "i" + n for n in _IN_PLACE if n not in ("and", "or")
        ] + ["iand", "ior", "itemgetter", "attrgetter", "methodcaller"]
    elif name in ("itemgetter", "attrgetter", "methodcaller"):
        value = _getter(name)
    else:
        raise AttributeError(f"module 'operator' has no attribute '{name}'")
    if hasattr(value, "_parameters") and value.__name__ != plain:
        value.__name__ = plain
    globals()[name] = value
    return value


_BINARY = (
    "lt", "le", "eq", "ne", "ge", "gt", "add", "sub", "mul", "matmul", "truediv", "floordiv", "mod",
    "pow", "lshift", "rshift", "and_", "and", "or_", "or", "xor", "is_", "is_not", "concat",
    "contains", "countOf", "indexOf", "getitem",
)
_OTHER = (
    "not_", "not", "neg", "pos", "abs", "inv", "invert", "index", "truth", "setitem", "delitem",
    "length_hint", "call", "is_none", "is_not_none",
)
_IN_PLACE = (
    "add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and",
    "or", "xor", "concat",
)


def _binary(name):
    if name == "lt":
        return lambda a, b: a < b
    if name == "le":
        return lambda a, b: a <= b
    if name == "eq":
        return lambda a, b: a == b
    if name == "ne":
        return lambda a, b: a != b
    if name == "ge":
        return lambda a, b: a >= b
    if name == "gt":
        return lambda a, b: a > b
    if name == "add":
        return lambda a, b: a + b
    if name == "sub":
        return lambda a, b: a - b
    if name == "mul":
        return lambda a, b: a * b
    if name == "matmul":
        return lambda a, b: a @ b
    if name == "truediv":
        return lambda a, b: a / b
    if name == "floordiv":
        return lambda a, b: a // b
    if name == "mod":
        return lambda a, b: a % b
    if name == "pow":
        return lambda a, b: a ** b
    if name == "lshift":
        return lambda a, b: a << b
    if name == "rshift":
        return lambda a, b: a >> b
    if name in ("and_", "and"):
        return lambda a, b: a & b
    if name in ("or_", "or"):
        return lambda a, b: a | b
    if name == "xor":
        return lambda a, b: a ^ b
    if name == "is_":
        return lambda a, b: a is b
    if name == "is_not":
        return lambda a, b: a is not b
    if name == "contains":
        return lambda a, b: b in a
    if name == "getitem":
        return lambda a, b: a[b]
    if name == "concat":

        def concat(a, b):
            if not hasattr(type(a), "__getitem__") and not isinstance(
                a, (list, tuple, str, bytes, bytearray)
            ):
                raise TypeError(f"'{type(a).__name__}' object can't be concatenated")
            return a + b

        return concat
    if name == "countOf":

        def countOf(a, b):
            count = 0
            for item in a:
                if item is b or item == b:
                    count += 1
            return count

        return countOf

    def indexOf(a, b):
        for i, item in enumerate(a):
            if item is b or item == b:
                return i
        raise ValueError("sequence.index(x): x not in sequence")

    return indexOf


def _other(name):
    if name in ("not_", "not"):
        return lambda a: not a
    if name == "neg":
        return lambda a: -a
    if name == "pos":
        return lambda a: +a
    if name == "abs":
        return abs
    if name in ("inv", "invert"):
        return lambda a: ~a
    if name == "truth":
        return bool
    if name == "is_none":
        return lambda a: a is None
    if name == "is_not_none":
        return lambda a: a is not None
    if name == "index":

        def index(a):
            if isinstance(a, (int, bool)):
                return int(a)
            if hasattr(a, "__index__"):
                return a.__index__()
            raise TypeError(f"'{type(a).__name__}' object cannot be interpreted as an integer")

        return index
    if name == "setitem":

        def setitem(a, b, c):
            a[b] = c

        return setitem
    if name == "delitem":

        def delitem(a, b):
            del a[b]

        return delitem
    if name == "length_hint":

        def length_hint(obj, default=0):
            try:
                return len(obj)
            except TypeError:
                pass
            hint = getattr(obj, "__length_hint__", None)
            return default if hint is None else hint()

        return length_hint

    def call(obj, *args, **kwargs):
        return obj(*args, **kwargs)

    return call


def _in_place(name):
    def operate(a, b):
        if name in ("add", "concat"):
            a += b
        elif name == "sub":
            a -= b
        elif name == "mul":
            a *= b
        elif name == "matmul":
            a @= b
        elif name == "truediv":
            a /= b
        elif name == "floordiv":
            a //= b
        elif name == "mod":
            a %= b
        elif name == "pow":
            a **= b
        elif name == "lshift":
            a <<= b
        elif name == "rshift":
            a >>= b
        elif name == "and":
            a &= b
        elif name == "or":
            a |= b
        else:
            a ^= b
        return a

    return operate


def _getter(name):
    if name == "itemgetter":

        def itemgetter(item, *items):
            if not items:
                return lambda obj: obj[item]
            items = (item,) + items
            return lambda obj: tuple([obj[i] for i in items])

        return itemgetter
    if name == "attrgetter":

        def resolve(obj, path):
            for part in path:
                obj = getattr(obj, part)
            return obj

        def attrgetter(attr, *attrs):
            paths = []
            for path in (attr,) + attrs:
                if not isinstance(path, str):
                    raise TypeError("attribute name must be a string")
                paths.append(path.split("."))
            if attrs:
                return lambda obj: tuple([resolve(obj, path) for path in paths])
            return lambda obj: resolve(obj, paths[0])

        return attrgetter

    def methodcaller(name, *args, **kwargs):
        return lambda obj: getattr(obj, name)(*args, **kwargs)

    return methodcaller
