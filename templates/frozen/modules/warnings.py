# Warnings are printed to sys.stderr, each text once, unless a filter says otherwise.
_seen = set()
_filters = []


def _category(category):
    if category is not None:
        return category
    import builtins

    return getattr(builtins, "UserWarning", Exception)


def warn(message, category=None, stacklevel=1, source=None, **kwargs):
    if isinstance(message, Exception):
        category = type(message)
    category = _category(category)
    text = str(message)
    action = "default"
    for chosen, wanted in _filters:
        if issubclass(category, wanted):
            action = chosen
            break
    if action == "ignore":
        return
    if action == "error":
        raise message if isinstance(message, Exception) else category(message)
    key = (category, text)
    if key in _seen and action != "always":
        return
    _seen.add(key)
    showwarning(message, category, "", 0)


def warn_explicit(message, category, filename, lineno, *args, **kwargs):
    warn(message, category)


def formatwarning(message, category, filename, lineno, line=None):
    return f"{filename}:{lineno}: {category.__name__}: {message}\n"


def showwarning(message, category, filename, lineno, file=None, line=None):
    import sys

    print(f"{category.__name__}: {message}", file=file or sys.stderr)


def filterwarnings(action, message="", category=None, module="", lineno=0, append=False):
    entry = (action, Exception if category is None else category)
    _filters.insert(len(_filters) if append else 0, entry)


def simplefilter(action, category=None, lineno=0, append=False):
    filterwarnings(action, category=category, append=append)


def resetwarnings():
    _filters.clear()


class WarningMessage:
    def __init__(self, message, category, filename, lineno, file=None, line=None, source=None):
        self.message = message
        self.category = category
        self.filename = filename
        self.lineno = lineno


class catch_warnings:
    def __init__(self, *, record=False, module=None, action=None, category=None, **kwargs):
        self._record = record
        self._action = action
        self._wanted = category

    def __enter__(self):
        self._saved = list(_filters)
        if self._action is not None:
            simplefilter(self._action, self._wanted)
        if self._record:
            global showwarning
            self._show = showwarning
            found = []
            showwarning = lambda message, category, filename, lineno, *rest: found.append(
                WarningMessage(message, category, filename, lineno))
            _seen.clear()
            return found

    def __exit__(self, *exc_info):
        global showwarning
        _filters[:] = self._saved
        if self._record:
            showwarning = self._show


def deprecated(message, *, category=None, stacklevel=1):
    return lambda function: function
