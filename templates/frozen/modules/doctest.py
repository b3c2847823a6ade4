# doctest: runs the examples in docstrings. Line numbers of examples count from the docstring's
# start.
import sys

DONT_ACCEPT_TRUE_FOR_1 = 1
DONT_ACCEPT_BLANKLINE = 2
NORMALIZE_WHITESPACE = 4
ELLIPSIS = 8
SKIP = 16
IGNORE_EXCEPTION_DETAIL = 32
REPORT_UDIFF = 64
REPORT_CDIFF = 128
REPORT_NDIFF = 256
REPORT_ONLY_FIRST_FAILURE = 512
FAIL_FAST = 1024
COMPARISON_FLAGS = 63
REPORTING_FLAGS = 1984
_BLANK = "<BLANKLINE>"
_STARS = "*" * 70


def _results(failed, attempted):
    from collections import namedtuple

    return namedtuple("TestResults", ("failed", "attempted"), module="doctest")(failed, attempted)


class Example:
    def __init__(self, source, want, exc_msg=None, lineno=0, indent=0, options=None):
        self.source = source if source.endswith("\n") else source + "\n"
        self.want = want if not want or want.endswith("\n") else want + "\n"
        self.exc_msg = exc_msg
        self.lineno = lineno
        self.indent = indent
        self.options = options or {}


def _options(source):
    found = {}
    at = source.find("# doctest:")
    if at < 0:
        at = source.find("#doctest:")
    if at >= 0:
        for word in source[at:].split("\n")[0].split(":", 1)[1].replace(",", " ").split():
            if word[1:] not in globals() or word[0] not in "+-":
                raise ValueError(f"line has an invalid option: {word!r}")
            found[globals()[word[1:]]] = word[0] == "+"
    return found


def _message_of(want):
    # The last line of an expected traceback, or None.
    lines = want.split("\n")
    if not lines[0].startswith(("Traceback (most recent call last):",
                                "Traceback (innermost last):")):
        return None
    for i in range(1, len(lines)):
        if lines[i] and lines[i][0] not in " \t":
            message = "\n".join(lines[i:])
            return message if message.endswith("\n") else message + "\n"
    return None


class DocTestParser:
    def get_examples(self, string, name="<string>"):
        lines = string.expandtabs().split("\n")
        examples = []
        i = 0
        while i < len(lines):
            stripped = lines[i].lstrip(" ")
            if stripped[:4] not in (">>> ", ">>>"):
                if stripped.startswith(">>>"):
                    raise ValueError(f"line {i + 1} of the docstring for {name} lacks blank after "
                                     f">>>: {lines[i]!r}")
                i += 1
                continue
            first = i
            indent = len(lines[i]) - len(stripped)
            source = [stripped[4:]]
            i += 1
            while i < len(lines) and lines[i][indent:indent + 3] == "...":
                source.append(lines[i][indent + 4:])
                i += 1
            want = []
            while i < len(lines) and lines[i].strip() and lines[i][indent:indent + 3] != ">>>":
                if lines[i][:indent].strip():
                    raise ValueError(f"line {i + 1} of the docstring for {name} has inconsistent "
                                     f"leading whitespace: {lines[i]!r}")
                want.append(lines[i][indent:])
                i += 1
            source = "\n".join(source)
            want = "\n".join(want)
            if not source.strip() or source.lstrip().startswith("#") and "\n" not in source:
                continue
            examples.append(
                Example(source, want, _message_of(want), first, indent, _options(source)))
        return examples


def _ellipsis_match(want, got):
    if "..." not in want:
        return want == got
    pieces = want.split("...")
    start = 0
    end = len(got)
    if pieces[0]:
        if not got.startswith(pieces[0]):
            return False
        start = len(pieces[0])
    if pieces[-1]:
        if not got.endswith(pieces[-1]):
            return False
        end -= len(pieces[-1])
    if start > end:
        return False
    for piece in pieces[1:-1]:
        start = got.find(piece, start, end)
        if start < 0:
            return False
        start += len(piece)
    return True


class OutputChecker:
    def check_output(self, want, got, optionflags):
        if got == want:
            return True
        if not optionflags & DONT_ACCEPT_TRUE_FOR_1:
            if (got, want) in (("True\n", "1\n"), ("False\n", "0\n")):
                return True
        if not optionflags & DONT_ACCEPT_BLANKLINE:
            want = "\n".join(["" if line.strip() == _BLANK else line
                              for line in want.split("\n")])
            got = "\n".join([line if line.strip() else "" for line in got.split("\n")])
            if got == want:
                return True
        if optionflags & NORMALIZE_WHITESPACE:
            want = " ".join(want.split())
            got = " ".join(got.split())
            if got == want:
                return True
        return bool(optionflags & ELLIPSIS) and _ellipsis_match(want, got)


def _indented(text):
    return "\n".join(["    " + line if line else line for line in text.split("\n")])


def _display(value):
    if value is not None:
        print(repr(value))


class DocTestRunner:
    def __init__(self, checker=None, verbose=None, optionflags=0):
        self._checker = checker or OutputChecker()
        self._verbose = bool(verbose)
        self.optionflags = optionflags
        self.failures = self.tries = 0
        self._names = []

    def _run(self, example, globs):
        # Return the text that the example prints, and its exception.
        from io import StringIO

        printed = StringIO()
        old = sys.stdout
        sys.stdout = printed
        globs["__repl_print__"] = _display  # code of the mode "single" calls it
        try:
            try:
                exec(compile(example.source, "<doctest>", "single"), globs)
            finally:
                sys.stdout = old
                globs.pop("__repl_print__", None)
        except Exception as error:
            return printed.getvalue(), error
        return printed.getvalue(), None

    def _passes(self, example, got, error, flags):
        check = self._checker.check_output
        if error is None:
            return check(example.want, got, flags)
        if example.exc_msg is None:
            return False
        text = str(error)
        shown = type(error).__name__ + (f": {text}" if text else "") + "\n"
        wanted = example.exc_msg
        if check(wanted, shown, flags):
            return True
        head = wanted.split(":", 1)[0]
        if "." in head:  # CPython shows the module of an exception's class
            if check(wanted[head.rfind(".") + 1:], shown, flags):
                return True
        if flags & IGNORE_EXCEPTION_DETAIL:
            return head.split(".")[-1].strip() == type(error).__name__
        return False

    def run(self, examples, name, globs):
        failed = attempted = 0
        for example in examples:
            flags = self.optionflags
            for flag, wanted in example.options.items():
                flags = flags | flag if wanted else flags & ~flag
            if flags & SKIP:
                continue
            attempted += 1
            if self._verbose:
                print(f"Trying:\n{_indented(example.source)[:-1] or ''}")
                print(f"Expecting:\n{_indented(example.want)[:-1]}" if example.want
                      else "Expecting nothing")
            got, error = self._run(example, globs)
            if self._passes(example, got, error, flags):
                if self._verbose:
                    print("ok")
                continue
            failed += 1
            self._report(example, name, got, error)
            if flags & FAIL_FAST:
                break
        self.failures += failed
        self.tries += attempted
        self._names.append((name, failed, attempted))
        return _results(failed, attempted)

    def _report(self, example, name, got, error):
        print(_STARS)
        print(f'File "{name}", line {example.lineno + 1}, in {name}')
        print(f"Failed example:\n{_indented(example.source)[:-1]}")
        if error is not None and example.exc_msg is None:
            from io import StringIO

            text = StringIO()
            sys.print_exception(error, text)
            print(f"Exception raised:\n{_indented(text.getvalue())[:-1]}")
            return
        if error is not None:
            got = f"Traceback (most recent call last):\n{type(error).__name__}: {error}\n"
        print(f"Expected:\n{_indented(example.want)[:-1]}" if example.want else "Expected nothing")
        print(f"Got:\n{_indented(got)[:-1]}" if got else "Got nothing")

    def summarize(self, verbose=None):
        failing = [each for each in self._names if each[1]]
        if failing:
            print(_STARS)
            print(f"{len(failing)} item{'s' if len(failing) != 1 else ''} had failures:")
            for name, failed, attempted in sorted(failing):
                print(f" {failed:3d} of {attempted:3d} in {name}")
            print(f"***Test Failed*** {self.failures} failure"
                  f"{'s' if self.failures != 1 else ''}.")
        return _results(self.failures, self.tries)


def _documented(name, thing, found, seen):
    if id(thing) in seen:
        return
    seen.add(id(thing))
    doc = getattr(thing, "__doc__", None)
    if isinstance(doc, str) and ">>>" in doc:
        found.append((name, doc))
    if isinstance(thing, type):
        for key in sorted(thing.__dict__):
            value = thing.__dict__[key]
            value = getattr(value, "__func__", getattr(value, "fget", value))
            if callable(value) and not (isinstance(value, type) and key[:2] == "__"):
                _documented(f"{name}.{key}", value, found, seen)


def testmod(m=None, name=None, globs=None, verbose=None, report=True, optionflags=0,
            extraglobs=None, raise_on_error=False, exclude_empty=False):
    if m is None:
        m = __import__("__main__")
    if name is None:
        name = m.__name__
    globs = dict(m.__dict__ if globs is None else globs)
    if extraglobs:
        globs.update(extraglobs)
    found, seen = [], set()
    doc = m.__dict__.get("__doc__")
    if isinstance(doc, str):
        found.append((name, doc))
    for key in sorted(m.__dict__):
        value = m.__dict__[key]
        own = getattr(value, "__module__", name) == name
        if own and (isinstance(value, type) or hasattr(value, "__code__")
                    or hasattr(value, "__wrapped__")):
            _documented(f"{name}.{key}", value, found, seen)
    tests = m.__dict__.get("__test__", {})
    for key in sorted(tests):
        value = tests[key]
        if isinstance(value, str):
            found.append((f"{name}.__test__.{key}", value))
    runner = DocTestRunner(verbose=verbose, optionflags=optionflags)
    for key, doc in sorted(found):
        runner.run(DocTestParser().get_examples(doc, key), key, dict(globs))
    if report:
        runner.summarize()
    return _results(runner.failures, runner.tries)


def testfile(filename, *args, **kwargs):
    raise NotImplementedError("there are no files of examples")


def run_docstring_examples(f, globs, verbose=False, name="NoName", compileflags=None,
                           optionflags=0):
    doc = f if isinstance(f, str) else getattr(f, "__doc__", None)
    if doc:
        runner = DocTestRunner(verbose=verbose, optionflags=optionflags)
        runner.run(DocTestParser().get_examples(doc, name), name, dict(globs))


def register_optionflag(name):
    return globals().setdefault(name, 2048)
