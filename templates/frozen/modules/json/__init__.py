# JSON as CPython reads and writes it. The C module has no keyword arguments, writes any object and
# reads invalid texts. It does the work where its result is CPython's, so that most programs import
# neither json.encoder nor json.decoder.
import ujson
from _json import valid as _valid


def __getattr__(name):
    if name == "JSONEncoder" or name == "encoder":
        import json.encoder as found
    elif name == "JSONDecoder" or name == "JSONDecodeError" or name == "decoder":
        import json.decoder as found
    elif name == "__all__":
        return ("dump", "dumps", "load", "loads", "JSONDecoder", "JSONDecodeError", "JSONEncoder")
    else:
        raise AttributeError(f"module 'json' has no attribute '{name}'")
    value = globals()[name] = found if name[0] != "J" else getattr(found, name)
    return value


def _is_plain(obj, depth):
    # Whether the C module writes obj as CPython does, but for characters.
    kind = type(obj)
    if kind is list or kind is tuple:
        if depth:
            for item in obj:
                kind = type(item)
                if kind is not int and kind is not str and not _is_plain(item, depth - 1):
                    return False
            return True
    elif kind is dict:
        if depth:
            for key, value in obj.items():
                if type(key) is not str or not _is_plain(value, depth - 1):
                    return False
            return True
    elif kind is float:
        return obj - obj == 0.0
    else:
        return kind is int or kind is str or kind is bool or obj is None
    return False


def dumps(obj, *, cls=None, **options):
    if cls is None and not options and _is_plain(obj, 20):
        text = ujson.dumps(obj)
        # ASCII only: as many bytes as characters. The C module escapes control characters as \u00XX.
        if len(text) == len(text.encode()) and "\x7f" not in text and "\\u00" not in text:
            return text
    if cls is None:
        from json.encoder import JSONEncoder as cls
    return cls(**options).encode(obj)


def dump(obj, fp, *, cls=None, **options):
    fp.write(dumps(obj, cls=cls, **options))


def loads(s, *, cls=None, **options):
    if isinstance(s, (bytes, bytearray)):
        s = str(s, "utf-8")
    elif not isinstance(s, str):
        raise TypeError("the JSON object must be str, bytes or bytearray, "
                        f"not {type(s).__name__}")
    elif s.startswith("\ufeff"):
        from json.decoder import JSONDecodeError

        raise JSONDecodeError("Unexpected UTF-8 BOM (decode using utf-8-sig)", s, 0)
    if cls is None and not options and _valid(s):
        return ujson.loads(s)
    if cls is None:
        from json.decoder import JSONDecoder as cls
    return cls(**options).decode(s)


def load(fp, *, cls=None, **options):
    if not hasattr(fp, "read"):  # a stream that implements readinto only
        return ujson.load(fp)
    return loads(fp.read(), cls=cls, **options)
