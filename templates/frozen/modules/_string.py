# The classes of module string.


class Template:
    __module__ = "string"
    delimiter = "$"
    idpattern = "(?a:[_a-z][_a-z0-9]*)"
    braceidpattern = None

    def __init__(self, template):
        self.template = template

    # Yield the template's parts: (text, name, placeholder). The name is "" after the last
    # placeholder, and None for a delimiter that begins no placeholder.
    def _parts(self):
        text = self.template
        mark = self.delimiter
        place = 0
        while True:
            found = text.find(mark, place)
            if found < 0:
                yield text[place:], "", ""
                return
            before = text[place:found]
            start = found + len(mark)
            if text.startswith(mark, start):
                yield before + mark, "", ""
                place = start + len(mark)
                continue
            braced = text.startswith("{", start)
            end = first = start + braced
            while end < len(text) and (text[end] == "_" or _is_ascii_letter(text[end])
                                       or end > first and "0" <= text[end] <= "9"):
                end += 1
            name = text[first:end] or None
            if braced:
                if text.startswith("}", end):
                    end += 1
                else:
                    name = None
            if name is None:
                place = start
                yield before, None, found
            else:
                place = end
                yield before, name, text[found:end]

    def _substitute(self, args, kws, safe):
        if len(args) > 1:
            raise TypeError("Too many positional arguments")
        mapping = args[0] if args else kws
        result = []
        for before, name, placeholder in self._parts():
            result.append(before)
            if name is None:
                if not safe:
                    lines = self.template[:placeholder].split("\n")
                    raise ValueError("Invalid placeholder in string: line %d, col %d"
                                     % (len(lines), len(lines[-1]) + 1))
                result.append(self.delimiter)
            elif name:
                source = kws if name in kws else mapping
                if safe:
                    try:
                        result.append(str(source[name]))
                    except KeyError:
                        result.append(placeholder)
                else:
                    result.append(str(source[name]))
        return "".join(result)

    def substitute(self, *args, **kws):
        return self._substitute(args, kws, False)

    def safe_substitute(self, *args, **kws):
        return self._substitute(args, kws, True)

    def is_valid(self):
        return all([name is not None for _, name, _ in self._parts()])

    def get_identifiers(self):
        names = []
        for _, name, _ in self._parts():
            if name and name not in names:
                names.append(name)
        return names


def _is_ascii_letter(c):
    return "a" <= c <= "z" or "A" <= c <= "Z"


class Formatter:
    __module__ = "string"

    def format(self, format_string, *args, **kwargs):
        return self.vformat(format_string, args, kwargs)

    def vformat(self, format_string, args, kwargs):
        used = set()
        result = self._vformat(format_string, args, kwargs, used, 2, 0)[0]
        self.check_unused_args(used, args, kwargs)
        return result

    def _vformat(self, format_string, args, kwargs, used, depth, number):
        if depth < 0:
            raise ValueError("Max string recursion exceeded")
        result = []
        for text, field, spec, conversion in self.parse(format_string):
            if text:
                result.append(text)
            if field is None:
                continue
            first = _first(field)
            if first == "":
                if number is False:
                    raise ValueError("cannot switch from manual field specification to automatic "
                                     "field numbering")
                field = str(number) + field
                number += 1
            elif first.isdigit():
                if number:
                    raise ValueError("cannot switch from manual field specification to automatic "
                                     "field numbering")
                number = False
            obj, key = self.get_field(field, args, kwargs)
            used.add(key)
            obj = self.convert_field(obj, conversion)
            spec, number = self._vformat(spec, args, kwargs, used, depth - 1, number)
            result.append(self.format_field(obj, spec))
        return "".join(result), number

    # (literal text, field name, format spec, conversion) as CPython's str.format reads them.
    def parse(self, format_string):
        i = 0
        n = len(format_string)
        text = ""
        while i < n:
            c = format_string[i]
            i += 1
            if c not in "{}":
                text += c
                continue
            if format_string[i:i + 1] == c:
                yield text + c, None, None, None
                text = ""
                i += 1
                continue
            if c == "}":
                raise ValueError("Single '}' encountered in format string")
            start = i
            depth = 1
            while i < n:
                if format_string[i] == "{":
                    depth += 1
                elif format_string[i] == "}":
                    depth -= 1
                    if not depth:
                        break
                i += 1
            else:
                raise ValueError("expected '}' before end of string" if start < n
                                 else "Single '{' encountered in format string")
            field = format_string[start:i]
            i += 1
            end = 0
            while end < len(field) and field[end] not in ":!":
                end = field.find("]", end) + 1 or len(field) if field[end] == "[" else end + 1
            rest = field[end:]
            conversion = None
            if rest[:1] == "!":
                conversion = rest[1:2]
                rest = rest[2:]
            yield text, field[:end], rest[1:], conversion
            text = ""
        if text:
            yield text, None, None, None

    def get_field(self, field_name, args, kwargs):
        first = _first(field_name)
        rest = field_name[len(first):]
        key = int(first) if first.isdigit() else first
        obj = self.get_value(key, args, kwargs)
        while rest:
            if rest[0] == "[":
                end = rest.find("]")
                item = rest[1:end]
                obj = obj[int(item) if item.isdigit() else item]
                rest = rest[end + 1:]
            else:
                name = _first(rest[1:])
                obj = getattr(obj, name)
                rest = rest[1 + len(name):]
        return obj, key

    def get_value(self, key, args, kwargs):
        return args[key] if isinstance(key, int) else kwargs[key]

    def check_unused_args(self, used_args, args, kwargs):
        pass

    def format_field(self, value, format_spec):
        return ("{:" + format_spec + "}").format(value)

    def convert_field(self, value, conversion):
        if conversion is None:
            return value
        if conversion == "s":
            return str(value)
        if conversion in ("r", "a"):
            return repr(value)
        raise ValueError(f"Unknown conversion specifier {conversion}")


def _first(field):
    for i, c in enumerate(field):
        if c in ".[":
            return field[:i]
    return field
