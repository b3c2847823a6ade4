def tokens(text):
    i = 0
    while i < len(text):
        c = text[i]
        if c.isspace():
            i += 1
        elif c.isdigit():
            j = i
            while j < len(text) and (text[j].isdigit() or text[j] == "."):
                j += 1
            yield "number", float(text[i:j]) if "." in text[i:j] else int(text[i:j])
            i = j
        elif c.isalpha():
            j = i
            while j < len(text) and text[j].isalpha():
                j += 1
            yield "name", text[i:j]
            i = j
        else:
            yield "op", c
            i += 1
    yield "end", None


class Parser:
    LEVELS = ("=", "+-", "*/%")

    def __init__(self, text):
        self.tokens = list(tokens(text))
        self.at = 0

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def binary(self, level=0):
        if level == len(self.LEVELS):
            return self.atom()
        left = self.binary(level + 1)
        while self.tokens[self.at][0] == "op" and self.tokens[self.at][1] in self.LEVELS[level]:
            op = self.next()[1]
            left = (op, left, self.binary(level if op == "=" else level + 1))
        return left

    def atom(self):
        kind, value = self.next()
        if kind == "op" and value == "(":
            inner = self.binary()
            if self.next() != ("op", ")"):
                raise SyntaxError("')' is missing")
            return inner
        if kind == "op" and value == "-":
            return ("-", 0, self.atom())
        if kind in ("number", "name"):
            return value
        raise SyntaxError("unexpected %r" % (value,))


for line in ("1 + 2 * 3", "(1 + 2) * 3", "x = y = 4 - -2", "a * (b + (c - 1.5)) / 2", "1 + ", "(2"):
    try:
        print(line, "=>", Parser(line).binary())
    except SyntaxError as error:
        print(line, "=> error:", error)
