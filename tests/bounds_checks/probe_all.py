# Uses every object in another program's globals, in all ways that its type allows.
import gc


def _try(function, *arguments):
    try:
        function(*arguments)
    except Exception as error:
        str(error)


def _use(value):
    for function in (repr, len, list, hash, bool, dict, str, bytes, sum, min, tuple, set, sorted):
        _try(function, value)
    names = "append pop sort copy keys items values add popitem read getvalue insert reverse"
    for name in (names + " update send close clear").split():
        method = getattr(value, name, None)
        if method is not None:
            _try(method)
            _try(method, 1)
    _try(lambda: [getattr(value, name) for name in dir(value)])
    for use in (
        lambda: value[0],
        lambda: value[-1],
        lambda: value[:],
        lambda: value + value,
        lambda: value == value,
        lambda: value < value,
        lambda: value * 2,
    ):
        _try(use)


for _value in list(globals().values()):
    if _value not in (_use, _try) and type(_value) is not type(gc):
        _try(_use, _value)
gc.collect()
_texts = [str(i) for i in range(200)]
gc.collect()
