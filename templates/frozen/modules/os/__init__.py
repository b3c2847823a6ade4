# The C module, and names of CPython's that it lacks. Each is made when a program first asks for it.
import uos

_TEXTS = {"sep": "/", "altsep": None, "extsep": ".", "curdir": ".", "pardir": "..", "pathsep": ":",
          "linesep": "\n", "devnull": "/dev/null", "name": "posix", "error": OSError,
          "F_OK": 0, "X_OK": 1, "W_OK": 2, "R_OK": 4, "SEEK_SET": 0, "SEEK_CUR": 1, "SEEK_END": 2}


def __getattr__(name):
    if name == "_exit":
        from sys import exit as value
    elif hasattr(uos, name):
        value = getattr(uos, name)
    elif name in _TEXTS:
        value = _TEXTS[name]
    elif name == "path":
        import os.path

        value = os.path
    elif name == "environ":
        value = {}
    elif name == "__all__":
        names = [name for name in dir(uos) if name[0] != "_"] + list(_TEXTS) + ["environ"]
        try:
            import _osnames
        except ImportError:  # sys.path lacks the frozen modules
            return names
        return names + [name for name in dir(_osnames) if name[0] != "_" and name != "uos"]
    elif name[0] == "_":
        raise AttributeError(f"module 'os' has no attribute '{name}'")
    else:
        try:
            import _osnames

            value = getattr(_osnames, name)
        except (ImportError, AttributeError):
            raise AttributeError(f"module 'os' has no attribute '{name}'")
    globals()[name] = value
    return value
