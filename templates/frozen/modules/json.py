# JSON as CPython reads and writes it. The C module has no keyword arguments, writes any object and
# reads invalid texts. It does the work where its result is CPython's.
import ujson
from _json import valid as _valid


class JSONDecodeError(ValueError):
    def __init__(self, msg, doc, pos):
        self.msg = msg
        self.doc = doc
        self.pos = pos
        self.lineno = doc.count("\n", 0, pos) + 1
        self.colno = pos - doc.rfind("\n", 0, pos)
        super().__init__(f"{msg}: line {self.lineno} column {self.colno} (char {pos})")


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f",
            "\b": "\\b"}


def _string(s, ascii):
    # Most strings need no escape.
    plain = True
    for c in s:
        if c < " " or c == '"' or c == "\\" or ascii and c > "~":
            plain = False
            break
    if plain:
        return '"' + s + '"'
    parts = ['"']
    for c in s:
        if c in _ESCAPES:
            c = _ESCAPES[c]
        elif c < " " or ascii and c > "~":
            n = ord(c)
            if n > 0xFFFF:
                n -= 0x10000
                c = "\\u%04x\\u%04x" % (0xD800 | n >> 10, 0xDC00 | n & 0x3FF)
            else:
                c = "\\u%04x" % n
        parts.append(c)
    parts.append('"')
    return "".join(parts)


class JSONEncoder:
    item_separator = ", "
    key_separator = ": "

    def __init__(self, *, skipkeys=False, ensure_ascii=True, check_circular=True, allow_nan=True,
                 sort_keys=False, indent=None, separators=None, default=None):
        self.skipkeys = skipkeys
        self.ensure_ascii = ensure_ascii
        self.check_circular = check_circular
        self.allow_nan = allow_nan
        self.sort_keys = sort_keys
        self.indent = indent
        if separators is not None:
            self.item_separator, self.key_separator = separators
        elif indent is not None:
            self.item_separator = ","
        if default is not None:
            self.default = default

    def default(self, o):
        raise TypeError(f"Object of type {type(o).__name__} is not JSON serializable")

    def encode(self, o):
        parts = []
        self._write(o, parts.append, "\n", [])
        return "".join(parts)

    def iterencode(self, o, _one_shot=False):
        parts = []
        self._write(o, parts.append, "\n", [])
        return iter(parts)

    def _float(self, x):
        if x - x == 0.0:
            return repr(x)
        if not self.allow_nan:
            raise ValueError(f"Out of range float values are not JSON compliant: {x!r}")
        return "NaN" if x != x else "Infinity" if x > 0 else "-Infinity"

    def _write(self, o, write, line, above):
        if o is None:
            write("null")
        elif o is True:
            write("true")
        elif o is False:
            write("false")
        elif isinstance(o, str):
            write(_string(str(o), self.ensure_ascii))
        elif isinstance(o, int):
            write(str(int(o)))
        elif isinstance(o, float):
            write(self._float(float(o)))
        else:
            if self.check_circular:
                for other in above:
                    if other is o:
                        raise ValueError("Circular reference detected")
            above.append(o)
            inner = line
            if self.indent is not None:
                indent = self.indent
                inner = line + (indent if isinstance(indent, str) else " " * indent)
            if isinstance(o, (list, tuple)):
                self._write_items(o, write, line, inner, above)
            elif isinstance(o, dict):
                self._write_pairs(o, write, line, inner, above)
            else:
                self._write(self.default(o), write, line, above)
            above.pop()

    def _write_items(self, o, write, line, inner, above):
        if not o:
            write("[]")
            return
        start = "["
        for item in o:
            write(start)
            if inner is not line or self.indent is not None:
                write(inner)
            self._write(item, write, inner, above)
            start = self.item_separator
        if self.indent is not None:
            write(line)
        write("]")

    def _write_pairs(self, o, write, line, inner, above):
        pairs = list(o.items())
        if self.sort_keys:
            pairs.sort(key=lambda pair: pair[0])
        start = "{"
        for key, value in pairs:
            if isinstance(key, str):
                key = str(key)
            elif key is None:
                key = "null"
            elif key is True or key is False:
                key = "true" if key else "false"
            elif isinstance(key, int):
                key = str(int(key))
            elif isinstance(key, float):
                key = self._float(key)
            elif self.skipkeys:
                continue
            else:
                raise TypeError("keys must be str, int, float, bool or None, "
                                f"not {type(key).__name__}")
            write(start)
            if self.indent is not None:
                write(inner)
            write(_string(key, self.ensure_ascii))
            write(self.key_separator)
            self._write(value, write, inner, above)
            start = self.item_separator
        if start == "{":
            write("{}")
            return
        if self.indent is not None:
            write(line)
        write("}")


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
    return (cls or JSONEncoder)(**options).encode(obj)


def dump(obj, fp, *, cls=None, **options):
    fp.write(dumps(obj, cls=cls, **options))


class JSONDecoder:
    def __init__(self, *, object_hook=None, parse_float=None, parse_int=None, parse_constant=None,
                 strict=True, object_pairs_hook=None):
        self.object_hook = object_hook
        self.parse_float = parse_float or float
        self.parse_int = parse_int or int
        self.parse_constant = parse_constant or float
        self.strict = strict
        self.object_pairs_hook = object_pairs_hook

    def decode(self, s):
        obj, end = self.raw_decode(s, _skip(s, 0))
        end = _skip(s, end)
        if end != len(s):
            raise JSONDecodeError("Extra data", s, end)
        return obj

    def raw_decode(self, s, idx=0):
        return self._value(s, idx)

    def _value(self, s, i):
        c = s[i:i + 1]
        if c == '"':
            return self._text(s, i + 1)
        if c == "{":
            return self._object(s, i + 1)
        if c == "[":
            return self._array(s, i + 1)
        if c and c in "-0123456789":
            end = i + (c == "-")
            start = end
            while "0" <= s[end:end + 1] <= "9":
                end += 1
            if end > start:
                if s[start] == "0":
                    end = start + 1
                whole = True
                if s[end:end + 1] == "." and "0" <= s[end + 1:end + 2] <= "9":
                    whole = False
                    end += 1
                    while "0" <= s[end:end + 1] <= "9":
                        end += 1
                if s[end:end + 1] in ("e", "E"):
                    last = end + 1 + (s[end + 1:end + 2] in ("+", "-"))
                    if "0" <= s[last:last + 1] <= "9":
                        whole = False
                        end = last
                        while "0" <= s[end:end + 1] <= "9":
                            end += 1
                return (self.parse_int if whole else self.parse_float)(s[i:end]), end
        for name, value in (("null", None), ("true", True), ("false", False)):
            if s.startswith(name, i):
                return value, i + len(name)
        for name, value in (("NaN", "nan"), ("Infinity", "inf"), ("-Infinity", "-inf")):
            if s.startswith(name, i):
                parse = self.parse_constant
                return parse(value if parse is float else name), i + len(name)
        raise JSONDecodeError("Expecting value", s, i)

    def _text(self, s, i):
        start = i - 1
        parts = []
        while True:
            end = s.find('"', i)
            if end < 0:
                raise JSONDecodeError("Unterminated string starting at", s, start)
            part = s[i:end]
            slash = part.find("\\")
            if slash >= 0:
                part = part[:slash]
                end = i + slash
            if self.strict:
                for k, c in enumerate(part):
                    if c < " ":
                        raise JSONDecodeError("Invalid control character at", s, i + k)
            if slash < 0:
                if not parts:
                    return part, end + 1
                parts.append(part)
                return "".join(parts), end + 1
            parts.append(part)
            c = s[end + 1:end + 2]
            i = end + 2
            if not c:
                raise JSONDecodeError("Unterminated string starting at", s, start)
            if c == "u":
                n = _hex(s, i)
                i += 4
                if 0xD800 <= n < 0xDC00 and s[i:i + 2] == "\\u":
                    low = _hex(s, i + 2)
                    if 0xDC00 <= low < 0xE000:
                        n = 0x10000 + (n - 0xD800 << 10 | low - 0xDC00)
                        i += 6
                parts.append(chr(n))
            else:
                place = '"\\/bfnrt'.find(c)
                if place < 0:
                    raise JSONDecodeError("Invalid \\escape", s, end)
                parts.append('"\\/\b\f\n\r\t'[place])

    def _array(self, s, i):
        found = []
        i = _skip(s, i)
        if s[i:i + 1] == "]":
            return found, i + 1
        while True:
            value, i = self._value(s, i)
            found.append(value)
            i = _skip(s, i)
            c = s[i:i + 1]
            if c == "]":
                return found, i + 1
            if c != ",":
                raise JSONDecodeError("Expecting ',' delimiter", s, i)
            i = _skip(s, i + 1)

    def _object(self, s, i):
        pairs = []
        i = _skip(s, i)
        if s[i:i + 1] == "}":
            i += 1
        else:
            if s[i:i + 1] != '"':
                raise JSONDecodeError("Expecting property name enclosed in double quotes", s, i)
            while True:
                key, i = self._text(s, i + 1)
                i = _skip(s, i)
                if s[i:i + 1] != ":":
                    raise JSONDecodeError("Expecting ':' delimiter", s, i)
                value, i = self._value(s, _skip(s, i + 1))
                pairs.append((key, value))
                i = _skip(s, i)
                c = s[i:i + 1]
                if c == "}":
                    i += 1
                    break
                if c != ",":
                    raise JSONDecodeError("Expecting ',' delimiter", s, i)
                i = _skip(s, i + 1)
                if s[i:i + 1] != '"':
                    raise JSONDecodeError("Expecting property name enclosed in double quotes", s, i)
        if self.object_pairs_hook is not None:
            return self.object_pairs_hook(pairs), i
        found = dict(pairs)
        return (found if self.object_hook is None else self.object_hook(found)), i


def _skip(s, i):
    while True:
        c = s[i:i + 1]
        if not c or c not in " \n\t\r":
            return i
        i += 1


def _hex(s, i):
    digits = s[i:i + 4]
    try:
        if len(digits) == 4 and all([c in "0123456789abcdefABCDEF" for c in digits]):
            return int(digits, 16)
    except ValueError:
        pass
    raise JSONDecodeError("Invalid \\uXXXX escape", s, i - 1)


def loads(s, *, cls=None, **options):
    if isinstance(s, (bytes, bytearray)):
        s = str(s, "utf-8")
    elif not isinstance(s, str):
        raise TypeError("the JSON object must be str, bytes or bytearray, "
                        f"not {type(s).__name__}")
    elif s.startswith("\ufeff"):
        raise JSONDecodeError("Unexpected UTF-8 BOM (decode using utf-8-sig)", s, 0)
    if cls is None and not options and _valid(s):
        return ujson.loads(s)
    return (cls or JSONDecoder)(**options).decode(s)


def load(fp, *, cls=None, **options):
    if not hasattr(fp, "read"):  # a stream that implements readinto only
        return ujson.load(fp)
    return loads(fp.read(), cls=cls, **options)
