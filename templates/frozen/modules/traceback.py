# Tracebacks of exceptions as texts. Interpreters keep no source text, so the program's lines are
# missing from them.
import sys

_CAUSE = "\nThe above exception was the direct cause of the following exception:\n\n"
_CONTEXT = "\nDuring handling of the above exception, another exception occurred:\n\n"


def _current():
    return sys.exc_info()[1]


class FrameSummary:
    def __init__(self, filename, lineno, name, line=""):
        self.filename = filename
        self.lineno = lineno
        self.name = name
        self.line = line

    def __iter__(self):
        return iter((self.filename, self.lineno, self.name, self.line))

    def __getitem__(self, index):
        return (self.filename, self.lineno, self.name, self.line)[index]

    def __len__(self):
        return 4

    def __repr__(self):
        return f"<FrameSummary file {self.filename}, line {self.lineno} in {self.name}>"


def extract_tb(tb, limit=None):
    frames = []
    while tb is not None:
        code = tb.tb_frame.f_code
        frames.append(FrameSummary(code.co_filename, tb.tb_lineno, code.co_name))
        tb = tb.tb_next
    if limit is None:
        return frames
    return frames[:limit] if limit >= 0 else frames[limit:]


def format_list(extracted_list):
    return [f'  File "{each[0]}", line {each[1]}, in {each[2]}\n' for each in extracted_list]


def format_tb(tb, limit=None):
    return format_list(extract_tb(tb, limit))


def print_tb(tb, limit=None, file=None):
    _write(format_tb(tb, limit), file)


def _write(lines, file):
    file = file or sys.stderr
    for line in lines:
        file.write(line)


def _str(value):
    try:
        return str(value)
    except Exception:
        return "<exception str() failed>"


def format_exception_only(exc, value=None, **kwargs):
    error = exc if value is None else value
    if error is None:
        return ["NoneType: None\n"]
    if isinstance(error, type):
        return [error.__name__ + "\n"]
    name, text = type(error).__name__, _str(error)
    lines = [f"{name}: {text}\n" if text else name + "\n"]
    notes = getattr(error, "__notes__", None)
    if isinstance(notes, (list, tuple)):
        for note in notes:
            lines.extend(line + "\n" for line in _str(note).split("\n"))
    return lines


def _one(error, tb, limit):
    lines = []
    if tb is not None:
        lines.append("Traceback (most recent call last):\n")
        lines.extend(format_tb(tb, limit))
    lines.extend(format_exception_only(error))
    return lines


def format_exception(exc, value=None, tb=None, limit=None, chain=True, **kwargs):
    error = exc if value is None else value
    if error is None:
        return ["NoneType: None\n"]
    seen = []
    parts = [_one(error, error.__traceback__ if value is None else tb, limit)]
    while chain:
        seen.append(error)
        if error.__cause__ is not None:
            error, text = error.__cause__, _CAUSE
        elif error.__context__ is not None and not error.__suppress_context__:
            error, text = error.__context__, _CONTEXT
        else:
            break
        if any(error is each for each in seen):
            break
        parts.append([*_one(error, error.__traceback__, limit), text])
    lines = []
    for part in reversed(parts):
        lines.extend(part)
    return lines


def print_exception(exc, value=None, tb=None, limit=None, file=None, chain=True, **kwargs):
    error = exc if value is None else value
    _write(format_exception(error, None, None, limit, chain), file)


def format_exc(limit=None, chain=True):
    return "".join(format_exception(_current(), limit=limit, chain=chain))


def print_exc(limit=None, file=None, chain=True):
    print_exception(_current(), None, None, limit, file, chain)


def format_stack(f=None, limit=None):
    return []


extract_stack = format_stack


def print_stack(f=None, limit=None, file=None):
    pass
