# Functions of `os` that the C module lacks.
import uos
from os import path


class PathLike:
    def __fspath__(self):
        raise NotImplementedError


PathLike._abc_test = lambda cls, obj: hasattr(cls, "__fspath__")


def _environ():
    import os

    return os.environ


def getenv(key, default=None):
    return _environ().get(key, default)


def putenv(key, value):
    _environ()[key] = value


def unsetenv(key):
    _environ().pop(key, None)


def fspath(path):
    if isinstance(path, (str, bytes)):
        return path
    if not hasattr(type(path), "__fspath__"):
        raise TypeError(f"expected str, bytes or os.PathLike object, not {type(path).__name__}")
    found = path.__fspath__()
    if not isinstance(found, (str, bytes)):
        raise TypeError(f"expected {type(path).__name__}.__fspath__() to return str or bytes, "
                        f"not {type(found).__name__}")
    return found


def fsencode(filename):
    filename = fspath(filename)
    return filename.encode() if isinstance(filename, str) else filename


def fsdecode(filename):
    filename = fspath(filename)
    return filename if isinstance(filename, str) else filename.decode()


def makedirs(name, mode=0o777, exist_ok=False):
    name = fspath(name)
    head, tail = path.split(name)
    if not tail:
        head, tail = path.split(head)
    if head and tail and not path.exists(head):
        makedirs(head, exist_ok=True)
        if tail == ".":
            return
    try:
        uos.mkdir(name)
    except OSError:
        if not exist_ok or not path.isdir(name):
            raise


def removedirs(name):
    name = fspath(name)
    uos.rmdir(name)
    head, tail = path.split(name)
    while head and tail:
        try:
            uos.rmdir(head)
        except OSError:
            break
        head, tail = path.split(head)


def replace(src, dst):
    uos.rename(fspath(src), fspath(dst))


def renames(old, new):
    head = path.dirname(new)
    if head and not path.exists(head):
        makedirs(head)
    uos.rename(old, new)


def walk(top, topdown=True, onerror=None, followlinks=False):
    top = fspath(top)
    try:
        entries = list(uos.ilistdir(top))
    except OSError as error:
        if onerror is not None:
            onerror(error)
        return
    dirs = [entry[0] for entry in entries if entry[1] & 0x4000]
    files = [entry[0] for entry in entries if not entry[1] & 0x4000]
    if topdown:
        yield top, dirs, files
    for name in dirs:
        yield from walk(path.join(top, name), topdown, onerror)
    if not topdown:
        yield top, dirs, files


def access(name, mode):
    return path.exists(name)


def read(fd, n):
    return _stream(fd).read(n)


def write(fd, str):
    return _stream(fd).write(str)


def fstat(fd):
    from collections import namedtuple

    size = _stream(fd)._size()
    result = namedtuple("stat_result", (
        "st_mode", "st_ino", "st_dev", "st_nlink", "st_uid", "st_gid", "st_size", "st_atime",
        "st_mtime", "st_ctime",
    ))
    return result(0o010600, 0, 0, 1, 0, 0, size, 0, 0, 0)  # a pipe


def isatty(fd):
    return False


def _stream(fd):
    if fd not in (0, 1, 2):
        raise OSError(9, "Bad file descriptor")
    return open(fd, "rb")


def getpid():
    return 1


def cpu_count():
    return 1
