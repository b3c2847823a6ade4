# The reader of texts that upstream's C module does not read as CPython does.


class JSONDecodeError(ValueError):
    def __init__(self, msg, doc, pos):
        self.msg = msg
        self.doc = doc
        self.pos = pos
        self.lineno = doc.count("\n", 0, pos) + 1
        self.colno = pos - doc.rfind("\n", 0, pos)
        super().__init__(f"{msg}: line {self.lineno} column {self.colno} (char {pos})")


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
