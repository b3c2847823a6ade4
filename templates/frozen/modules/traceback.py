# Tracebacks are texts that the interpreter prints: there are no frame objects.
import sys


def _text(error):
    import io

    stream = io.StringIO()
    sys.print_exception(error, stream)
    return stream.getvalue()


def _current():
    return sys.exc_info()[1]


def format_exception_only(exc, value=None, **kwargs):
    error = exc if value is None else value
    if isinstance(error, type):
        return [error.__name__ + "\n"]
    text = str(error)
    name = type(error).__name__
    return [f"{name}: {text}\n" if text else name + "\n"]


def format_exception(exc, value=None, tb=None, limit=None, chain=True, **kwargs):
    error = exc if value is None else value
    text = _text(error)
    return [line + "\n" for line in text.split("\n")[:-1]]


def print_exception(exc, value=None, tb=None, limit=None, file=None, chain=True, **kwargs):
    error = exc if value is None else value
    (file or sys.stderr).write(_text(error))


def format_exc(limit=None, chain=True):
    error = _current()
    return "NoneType: None\n" if error is None else _text(error)


def print_exc(limit=None, file=None, chain=True):
    (file or sys.stderr).write(format_exc())


def format_tb(tb, limit=None):
    return []


def extract_tb(tb, limit=None):
    return []


def print_tb(tb, limit=None, file=None):
    pass


def format_stack(f=None, limit=None):
    return []


extract_stack = format_stack


def print_stack(f=None, limit=None, file=None):
    pass
