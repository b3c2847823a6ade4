# Whitespace-separated words, with CPython's rule for hyphens: a line may end after a hyphen that
# stands between letters.


class TextWrapper:
    def __init__(self, width=70, initial_indent="", subsequent_indent="", expand_tabs=True,
                 replace_whitespace=True, fix_sentence_endings=False, break_long_words=True,
                 drop_whitespace=True, break_on_hyphens=True, tabsize=8, *, max_lines=None,
                 placeholder=" [...]"):
        self.width = width
        self.initial_indent = initial_indent
        self.subsequent_indent = subsequent_indent
        self.expand_tabs = expand_tabs
        self.replace_whitespace = replace_whitespace
        self.fix_sentence_endings = fix_sentence_endings
        self.break_long_words = break_long_words
        self.drop_whitespace = drop_whitespace
        self.break_on_hyphens = break_on_hyphens
        self.tabsize = tabsize
        self.max_lines = max_lines
        self.placeholder = placeholder

    def _chunks(self, text):
        if self.expand_tabs:
            text = _expanded(text, self.tabsize)
        if self.replace_whitespace:
            for c in "\t\n\x0b\x0c\r":
                text = text.replace(c, " ")
        chunks = []
        i = 0
        n = len(text)
        while i < n:
            start = i
            space = text[i] in _SPACE
            while i < n and (text[i] in _SPACE) == space:
                i += 1
            word = text[start:i]
            if space or not self.break_on_hyphens:
                chunks.append(word)
            else:
                chunks.extend(_hyphenated(word))
        if self.fix_sentence_endings:
            for i in range(len(chunks) - 1):
                word = chunks[i]
                if chunks[i + 1] == " " and word[-1:] in ("\"", "'"):
                    word = word[:-1]
                if chunks[i + 1] == " " and word[-1:] in (".", "!", "?") and "a" <= word[-2:-1] <= "z":
                    chunks[i + 1] = "  "
        return chunks

    def wrap(self, text):
        if self.width <= 0:
            raise ValueError(f"invalid width {self.width!r} (must be > 0)")
        if self.max_lines is not None:
            indent = self.subsequent_indent if self.max_lines > 1 else self.initial_indent
            if len(indent) + len(self.placeholder.lstrip()) > self.width:
                raise ValueError("placeholder too large for max width")
        chunks = self._chunks(text)
        lines = []
        place = 0
        n = len(chunks)
        while place < n:
            indent = self.subsequent_indent if lines else self.initial_indent
            width = self.width - len(indent)
            if self.drop_whitespace and lines and chunks[place].strip() == "":
                place += 1
            line = []
            size = 0
            while place < n and size + len(chunks[place]) <= width:
                line.append(chunks[place])
                size += len(chunks[place])
                place += 1
            if place < n and len(chunks[place]) > width:
                # A word longer than a line.
                room = width - size if width >= 1 else 1
                word = chunks[place]
                if self.break_long_words:
                    if self.break_on_hyphens and len(word) > room:
                        hyphen = word[:room].rfind("-")
                        if hyphen > 0 and word[:hyphen].replace("-", ""):
                            room = hyphen + 1
                    line.append(word[:room])
                    chunks[place] = word[room:]
                    if not chunks[place]:
                        place += 1
                elif not line:
                    line.append(word)
                    place += 1
                size = sum([len(word) for word in line])
            if self.drop_whitespace and line and line[-1].strip() == "":
                size -= len(line[-1])
                line.pop()
            if not line:
                continue
            if (self.max_lines is None or len(lines) + 1 < self.max_lines
                    or (place >= n or self.drop_whitespace and place == n - 1
                        and not chunks[place].strip()) and size <= width):
                lines.append(indent + "".join(line))
                continue
            while line:
                if line[-1].strip() and size + len(self.placeholder) <= width:
                    line.append(self.placeholder)
                    lines.append(indent + "".join(line))
                    break
                size -= len(line.pop())
            else:
                if lines:
                    last = lines[-1].rstrip()
                    if len(last) + len(self.placeholder) <= self.width:
                        lines[-1] = last + self.placeholder
                        break
                lines.append(indent + self.placeholder.lstrip())
            break
        return lines

    def fill(self, text):
        return "\n".join(self.wrap(text))


_SPACE = "\t\n\x0b\x0c\r "


def _expanded(text, tabsize):
    if "\t" not in text:
        return text
    parts = []
    column = 0
    for c in text:
        if c == "\t":
            c = " " * (tabsize - column % tabsize if tabsize > 0 else 0)
            column += len(c)
        elif c in "\n\r":
            column = 0
        else:
            column += 1
        parts.append(c)
    return "".join(parts)


def _letter(c):
    return c.isalpha() or c > "\x7f"


def _word(c):
    return c == "_" or c.isalpha() or c.isdigit() or c > "\x7f"


def _hyphenated(word):
    # Split after a hyphen that has two letters, or a letter and a hyphen, on each side; and around
    # a dash of two hyphens or more between words.
    parts = []
    start = 0
    n = len(word)
    i = 0
    while i < n:
        if word[i] != "-":
            i += 1
            continue
        end = i
        while end < n and word[end] == "-":
            end += 1
        before = word[i - 1:i]
        after = word[end:end + 1]
        if end - i > 1:
            if before and (_word(before) or before in "!\"'&.,?") and after and _word(after):
                if i > start:
                    parts.append(word[start:i])
                parts.append(word[i:end])
                start = end
        elif (before and after and i - start >= 2 and _letter(before)
              and (_letter(word[i - 2]) or word[i - 2] == "-")
              and end + 1 < n and _letter(after)
              and (_letter(word[end + 1]) or word[end + 1] == "-")):
            parts.append(word[start:end])
            start = end
        i = end
    if start < n:
        parts.append(word[start:])
    return parts


def wrap(text, width=70, **kwargs):
    return TextWrapper(width=width, **kwargs).wrap(text)


def fill(text, width=70, **kwargs):
    return TextWrapper(width=width, **kwargs).fill(text)


def shorten(text, width, **kwargs):
    return TextWrapper(width=width, max_lines=1, **kwargs).fill(" ".join(text.strip().split()))


def dedent(text):
    lines = text.split("\n")
    margin = None
    for i, line in enumerate(lines):
        if not line.strip(" \t"):
            lines[i] = ""
            continue
        indent = line[:len(line) - len(line.lstrip(" \t"))]
        if margin is None:
            margin = indent
            continue
        same = 0
        while same < len(margin) and same < len(indent) and margin[same] == indent[same]:
            same += 1
        margin = margin[:same]
    if margin:
        lines = [line[len(margin):] if line else line for line in lines]
    return "\n".join(lines)


def indent(text, prefix, predicate=None):
    result = []
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        line = text[start:end]
        if predicate(line) if predicate is not None else line.strip():
            result.append(prefix)
        result.append(line)
        start = end
    return "".join(result)
