# Paths of POSIX, as str or bytes.
import uos

sep = "/"
altsep = None
extsep = "."
curdir = "."
pardir = ".."
pathsep = ":"
defpath = "/bin:/usr/bin"
devnull = "/dev/null"
supports_unicode_filenames = False


def _path(path):
    if isinstance(path, (str, bytes)):
        return path
    from _osnames import fspath

    return fspath(path)


def _alike(paths):
    texts = [isinstance(path, str) for path in paths]
    if any(texts) and not all(texts):
        raise TypeError("Can't mix strings and bytes in path components")


def _slash(path):
    return "/" if isinstance(path, str) else b"/"


def normcase(s):
    return _path(s)


def isabs(s):
    s = _path(s)
    return s.startswith(_slash(s))


def join(a, *p):
    path = _path(a)
    p = [_path(each) if hasattr(type(each), "__fspath__") else each for each in p]
    for each in p:
        if not isinstance(each, (str, bytes)):
            raise TypeError("join() argument must be str, bytes, or os.PathLike object, not "
                            f"{type(each).__name__!r}")
    _alike([path] + p)
    slash = _slash(path)
    for each in p:
        if each.startswith(slash):
            path = each
        elif not path or path.endswith(slash):
            path += each
        else:
            path += slash + each
    return path


def split(p):
    p = _path(p)
    slash = _slash(p)
    at = p.rfind(slash) + 1
    head, tail = p[:at], p[at:]
    if head and head != slash * len(head):
        head = head.rstrip(slash)
    return head, tail


def splitext(p):
    p = _path(p)
    dot = "." if isinstance(p, str) else b"."
    start = p.rfind(_slash(p)) + 1
    at = p.rfind(dot)
    if at > start:
        # Dots at the start of a name begin no extension.
        if p[start:at].strip(dot):
            return p[:at], p[at:]
    return p, p[:0]


def splitdrive(p):
    p = _path(p)
    return p[:0], p


def splitroot(p):
    p = _path(p)
    slash = _slash(p)
    if p[:1] != slash:
        return p[:0], p[:0], p
    if p[1:2] != slash or p[2:3] == slash:
        return p[:0], slash, p[1:]
    return p[:0], p[:2], p[2:]


def basename(p):
    return split(p)[1]


def dirname(p):
    return split(p)[0]


def normpath(path):
    path = _path(path)
    text = isinstance(path, str)
    slash, dot, dots = ("/", ".", "..") if text else (b"/", b".", b"..")
    if not path:
        return dot
    _, root, path = splitroot(path)
    parts = []
    for part in path.split(slash):
        if not part or part == dot:
            continue
        if part != dots or not root and not parts or parts and parts[-1] == dots:
            parts.append(part)
        elif parts:
            parts.pop()
    return root + slash.join(parts) or dot


def _cwd(path):
    cwd = uos.getcwd()
    return cwd if isinstance(path, str) else cwd.encode()


def abspath(path):
    path = _path(path)
    if not isabs(path):
        path = join(_cwd(path), path)
    return normpath(path)


def realpath(filename, *, strict=False):
    filename = abspath(filename)
    if strict:
        uos.stat(filename)
    return filename


def relpath(path, start=None):
    if not path:
        raise ValueError("no path specified")
    path = _path(path)
    slash, dots = ("/", "..") if isinstance(path, str) else (b"/", b"..")
    start = _cwd(path) if start is None else _path(start)
    _alike([path, start])
    begin = [part for part in abspath(start).split(slash) if part]
    parts = [part for part in abspath(path).split(slash) if part]
    same = 0
    for a, b in zip(begin, parts):
        if a != b:
            break
        same += 1
    return slash.join([dots] * (len(begin) - same) + parts[same:]) or path[:0] + dots[:1]


def commonprefix(m):
    if not m:
        return ""
    if not isinstance(m[0], (list, tuple)):
        m = [_path(each) for each in m]
    low, high = min(m), max(m)
    for i, item in enumerate(low):
        if item != high[i]:
            return low[:i]
    return low


def commonpath(paths):
    paths = [_path(path) for path in paths]
    if not paths:
        raise ValueError("commonpath() arg is an empty sequence")
    _alike(paths)
    slash, dot = ("/", ".") if isinstance(paths[0], str) else (b"/", b".")
    absolute = [path.startswith(slash) for path in paths]
    if any(absolute) and not all(absolute):
        raise ValueError("Can't mix absolute and relative paths")
    split_paths = [[part for part in path.split(slash) if part and part != dot] for path in paths]
    low, high = min(split_paths), max(split_paths)
    common = low
    for i, part in enumerate(low):
        if part != high[i]:
            common = low[:i]
            break
    return (slash if absolute[0] else slash[:0]) + slash.join(common)


def _mode(path):
    try:
        return uos.stat(_text(path))[0]
    except (OSError, ValueError):
        return 0


def _text(path):
    path = _path(path)
    return path if isinstance(path, str) else path.decode()


def exists(path):
    return _mode(path) != 0


lexists = exists


def isfile(path):
    return _mode(path) & 0xF000 == 0x8000


def isdir(s):
    return _mode(s) & 0xF000 == 0x4000


def islink(path):
    return False


ismount = isjunction = islink


def getsize(filename):
    return uos.stat(_text(filename))[6]


def getmtime(filename):
    return uos.stat(_text(filename))[8]


def getatime(filename):
    return uos.stat(_text(filename))[7]


def getctime(filename):
    return uos.stat(_text(filename))[9]


def samefile(f1, f2):
    uos.stat(_text(f1))
    uos.stat(_text(f2))
    return abspath(f1) == abspath(f2)


def expanduser(path):
    path = _path(path)
    tilde = "~" if isinstance(path, str) else b"~"
    if not path.startswith(tilde):
        return path
    from os import environ

    home = environ.get("HOME")
    end = path.find(_slash(path))
    if end < 0:
        end = len(path)
    if home is None or end != 1:
        return path
    home = (home if isinstance(path, str) else home.encode()).rstrip(_slash(path))
    return home + path[end:] or _slash(path)


def expandvars(path):
    import re
    from os import environ

    path = _path(path)
    if isinstance(path, bytes):
        return expandvars(path.decode()).encode()

    def value(match):
        name = match.group(1)
        plain = name[1:-1] if name[:1] == "{" else name
        return environ.get(plain, match.group(0))

    return re.sub(r"\$(\w+|\{[^}]*\})", value, path, flags=re.ASCII)
