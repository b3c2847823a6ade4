# The writer of all that the C module does not write as CPython does.


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
            write(_string(str.__str__(o), self.ensure_ascii))
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
                key = str.__str__(key)
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
