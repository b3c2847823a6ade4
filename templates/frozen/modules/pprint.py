def pformat(object, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True,
            underscore_numbers=False):
    return PrettyPrinter(indent, width, depth, compact=compact, sort_dicts=sort_dicts,
                         underscore_numbers=underscore_numbers).pformat(object)


def pprint(object, stream=None, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True,
           underscore_numbers=False):
    text = pformat(object, indent, width, depth, compact=compact, sort_dicts=sort_dicts,
                   underscore_numbers=underscore_numbers)
    if stream is None:
        print(text)
    else:
        stream.write(text + "\n")


def pp(object, *args, sort_dicts=False, **kwargs):
    pprint(object, *args, sort_dicts=sort_dicts, **kwargs)


def saferepr(object):
    return PrettyPrinter()._repr(object, [], 0)


def isreadable(object):
    return "<" not in saferepr(object)


def isrecursive(object):
    return "<Recursion on " in saferepr(object)


class PrettyPrinter:
    def __init__(self, indent=1, width=80, depth=None, stream=None, *, compact=False,
                 sort_dicts=True, underscore_numbers=False):
        if indent < 0:
            raise ValueError("indent must be >= 0")
        if depth is not None and depth <= 0:
            raise ValueError("depth must be > 0")
        if not width:
            raise ValueError("width must be != 0")
        self._indent = indent
        self._width = width
        self._depth = depth
        self._stream = stream
        self._compact = compact
        self._sort = sort_dicts
        self._grouped = underscore_numbers

    def pprint(self, object):
        if self._stream is None:
            print(self.pformat(object))
        else:
            self._stream.write(self.pformat(object) + "\n")

    def pformat(self, object):
        parts = []
        self._format(object, parts.append, 0, 0, [], 0)
        return "".join(parts)

    def format(self, object, context, maxlevels, level):
        return self._repr(object, [], level), True, False

    def _items(self, mapping):
        items = list(mapping.items())
        if self._sort:
            try:
                items.sort(key=lambda item: item[0])
            except TypeError:
                items.sort(key=lambda item: (str(type(item[0])), str(item[0])))
        return items

    def _sorted(self, values):
        try:
            return sorted(values)
        except TypeError:
            return sorted(values, key=lambda value: (str(type(value)), str(value)))

    # The representation in one line.
    def _repr(self, obj, above, level):
        kind = type(obj)
        if self._grouped and kind is int:
            return f"{obj:_d}"
        if kind not in (list, tuple, dict):
            return repr(obj)
        if not obj:
            return repr(obj)
        start, end = ("[", "]") if kind is list else ("(", ")") if kind is tuple else ("{", "}")
        if self._depth is not None and level >= self._depth:
            return f"{start}...{end}"
        if id(obj) in above:
            return f"<Recursion on {kind.__name__} with id={id(obj)}>"
        above = above + [id(obj)]
        level += 1
        if kind is dict:
            parts = [f"{self._repr(key, above, level)}: {self._repr(value, above, level)}"
                     for key, value in self._items(obj)]
        else:
            parts = [self._repr(item, above, level) for item in obj]
        comma = "," if kind is tuple and len(obj) == 1 else ""
        return f"{start}{', '.join(parts)}{comma}{end}"

    def _format(self, obj, write, indent, allowance, above, level):
        if id(obj) in above:
            write(f"<Recursion on {type(obj).__name__} with id={id(obj)}>")
            return
        text = self._repr(obj, above, level)
        if len(text) <= self._width - indent - allowance:
            write(text)
            return
        kind = type(obj)
        fields = getattr(kind, "__dataclass_fields__", None)
        if kind is str and obj:
            self._format_text(obj, write, indent, allowance, level)
            return
        name = kind.__name__
        special = name in _SPECIAL and obj and isinstance(obj, _SPECIAL[name]())
        if fields is None and kind not in (list, tuple, dict, set, frozenset) and not special or (
            self._depth is not None and level >= self._depth
        ):
            write(text)
            return
        above = above + [id(obj)]
        level += 1
        if special:
            self._format_special(obj, name, write, indent + len(name) + 1, allowance, above, level)
        elif kind is dict:
            self._format_dict(self._items(obj), write, indent, allowance, above, level)
        elif fields is not None:
            indent += len(name) + 1
            write(name + "(")
            names = [f.name for f in fields.values() if f.repr]
            for i, field in enumerate(names):
                if i:
                    write(",\n" + " " * indent)
                write(field + "=")
                self._format(getattr(obj, field), write, indent + len(field) + 1,
                             allowance + 1 if i == len(names) - 1 else 1, above, level)
            write(")")
        elif kind is list:
            self._format_items(obj, write, indent, allowance, above, level, "[", "]")
        elif kind is tuple:
            self._format_items(obj, write, indent, allowance, above, level, "(",
                               ",)" if len(obj) == 1 else ")")
        elif kind is set:
            self._format_items(self._sorted(obj), write, indent, allowance, above, level, "{", "}")
        else:
            self._format_items(self._sorted(obj), write, indent + 10, allowance, above, level,
                               "frozenset({", "})")

    def _format_dict(self, items, write, indent, allowance, above, level):
        write("{" + " " * (self._indent - 1))
        indent += self._indent
        last = len(items) - 1
        for i, (key, value) in enumerate(items):
            shown = self._repr(key, above, level)
            write(shown + ": ")
            self._format(value, write, indent + len(shown) + 2,
                         allowance + 1 if i == last else 1, above, level)
            if i < last:
                write(",\n" + " " * indent)
        write("}")

    def _format_special(self, obj, name, write, indent, allowance, above, level):
        if name == "deque":
            end = "])" if obj.maxlen is None else f"],\n{' ' * indent}maxlen={obj.maxlen})"
            if obj.maxlen is not None:
                allowance = 2 - len(end)
            self._format_items(obj, write, indent, allowance, above, level, "deque([", end)
            return
        write(name + "(")
        if name == "OrderedDict":
            self._format(list(obj.items()), write, indent, allowance + 1, above, level)
        elif name == "Counter":
            self._format_dict(obj.most_common(), write, indent, allowance + 1, above, level)
        else:
            write(f"{obj.default_factory!r},\n" + " " * indent)
            self._format_dict(self._items(obj), write, indent, allowance + 1, above, level)
        write(")")

    def _format_items(self, items, write, indent, allowance, above, level, start, end):
        write(start)
        if self._indent > 1:
            write(" " * (self._indent - 1))
        indent += self._indent
        allowance += len(end)
        first = True
        room = width = self._width - indent + 1
        last = len(items) - 1
        for i, item in enumerate(items):
            if i == last:
                room -= allowance
                width -= allowance
            if self._compact:
                text = self._repr(item, above, level)
                size = len(text) + 2
                if room < size:
                    room = width
                    if not first:
                        write(",\n" + " " * indent)
                        first = True
                if room >= size:
                    room -= size
                    write(text if first else ", " + text)
                    first = False
                    continue
            if not first:
                write(",\n" + " " * indent)
            first = False
            self._format(item, write, indent, allowance if i == last else 1, above, level)
            if self._compact:
                first = True
                if i < last:
                    write(",\n" + " " * indent)
        write(end)

    def _format_text(self, s, write, indent, allowance, level):
        # A long string is split at spaces into literals that stand below each other.
        lines = []
        start = 0
        while start < len(s):
            end = s.find("\n", start) + 1 or len(s)
            lines.append(s[start:end])
            start = end
        if level == 0:
            indent += 1
            allowance += 1
        room = self._width - indent
        parts = []
        for i, line in enumerate(lines):
            shown = repr(line)
            if i == len(lines) - 1:
                room -= allowance
            if len(shown) <= room:
                parts.append(shown)
                continue
            words = []
            start = 0
            while start < len(line):
                end = start
                while end < len(line) and line[end] not in _SPACE:
                    end += 1
                while end < len(line) and line[end] in _SPACE:
                    end += 1
                words.append(line[start:end])
                start = end
            current = ""
            for k, word in enumerate(words):
                limit = self._width - indent
                if k == len(words) - 1 and i == len(lines) - 1:
                    limit -= allowance
                if len(repr(current + word)) > limit:
                    if current:
                        parts.append(repr(current))
                    current = word
                else:
                    current += word
            if current:
                parts.append(repr(current))
        if len(parts) == 1:
            write(parts[0])
            return
        if level == 0:
            write("(")
        write(("\n" + " " * indent).join(parts))
        if level == 0:
            write(")")


def _collection(name):
    def find():
        import collections

        return getattr(collections, name)

    return find


_SPACE = " \t\n\r\v\f"
# Types of module collections that are printed over several lines.
_SPECIAL = dict([(name, _collection(name))
                 for name in ("OrderedDict", "Counter", "defaultdict", "deque")])
