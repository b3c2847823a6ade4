# Paths as objects. Pure operations work on texts; the others call `os` and `open`.
import os
from os import path as _names


def _parse(args):
    # The root and the parts of a path that is joined from texts and paths.
    texts = []
    for arg in args:
        if isinstance(arg, PurePath):
            texts.append(str(arg) if arg._root or arg._parts else "")
        else:
            text = arg.__fspath__() if hasattr(type(arg), "__fspath__") else arg
            if not isinstance(text, str):
                raise TypeError("argument should be a str or an os.PathLike object where __fspath__ "
                                f"returns a str, not {type(text).__name__!r}")
            texts.append(text)
    text = _names.join(*texts) if texts else ""
    _, root, rest = _names.splitroot(text)
    return root, [part for part in rest.split("/") if part and part != "."]


class PurePath:
    def __init__(self, *args):
        self._root, self._parts = _parse(args)

    def _new(self, root, parts):
        made = type(self)()
        made._root = root
        made._parts = parts
        return made

    def with_segments(self, *pathsegments):
        return type(self)(*pathsegments)

    def __str__(self):
        return self._root + "/".join(self._parts) or "."

    def __fspath__(self):
        return str(self)

    as_posix = __fspath__

    def __bytes__(self):
        return str(self).encode()  # bytes() does not call this method

    def __repr__(self):
        return f"{type(self).__name__}({str(self)!r})"

    def __hash__(self):
        return hash(str(self))

    def __eq__(self, other):
        if not isinstance(other, PurePath):
            return NotImplemented
        return self._root == other._root and self._parts == other._parts

    def __lt__(self, other):
        if not isinstance(other, PurePath):
            return NotImplemented
        return self._order() < other._order()

    def __le__(self, other):
        if not isinstance(other, PurePath):
            return NotImplemented
        return self._order() <= other._order()

    def __gt__(self, other):
        if not isinstance(other, PurePath):
            return NotImplemented
        return self._order() > other._order()

    def __ge__(self, other):
        if not isinstance(other, PurePath):
            return NotImplemented
        return self._order() >= other._order()

    def _order(self):
        return str(self).split("/")

    def __truediv__(self, key):
        try:
            return self.with_segments(self, key)
        except TypeError:
            return NotImplemented

    def __rtruediv__(self, key):
        try:
            return self.with_segments(key, self)
        except TypeError:
            return NotImplemented

    def joinpath(self, *pathsegments):
        return self.with_segments(self, *pathsegments)

    @property
    def parts(self):
        return tuple(([self._root] if self._root else []) + self._parts)

    @property
    def drive(self):
        return ""

    @property
    def root(self):
        return self._root

    @property
    def anchor(self):
        return self._root

    @property
    def name(self):
        return self._parts[-1] if self._parts else ""

    @property
    def suffix(self):
        name = self.name
        at = name.rfind(".")
        return name[at:] if 0 < at < len(name) - 1 else ""

    @property
    def suffixes(self):
        name = self.name
        if name[-1:] == ".":
            return []
        return ["." + suffix for suffix in name.lstrip(".").split(".")[1:]]

    @property
    def stem(self):
        suffix = self.suffix
        return self.name[:-len(suffix)] if suffix else self.name

    @property
    def parent(self):
        return self._new(self._root, self._parts[:-1]) if self._parts else self

    @property
    def parents(self):
        return tuple([self._new(self._root, self._parts[:i])
                      for i in range(len(self._parts) - 1, -1, -1)])

    def is_absolute(self):
        return bool(self._root)

    def is_reserved(self):
        return False

    def as_uri(self):
        if not self._root:
            raise ValueError("relative path can't be expressed as a file URI")
        safe = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~/"
        return "file://" + "".join(
            [chr(byte) if chr(byte) in safe else "%%%02X" % byte for byte in str(self).encode()])

    def with_name(self, name):
        if not self.name:
            raise ValueError(f"{self!r} has an empty name")
        if not name or "/" in name or name == ".":
            raise ValueError(f"Invalid name {name!r}")
        return self._new(self._root, self._parts[:-1] + [name])

    def with_stem(self, stem):
        suffix = self.suffix
        if not stem and suffix:
            raise ValueError(f"{self!r} has a non-empty suffix")
        return self.with_name(stem + suffix)

    def with_suffix(self, suffix):
        if not self.name:
            raise ValueError(f"{self!r} has an empty name")
        if suffix and (not suffix.startswith(".") or suffix == "." or "/" in suffix):
            raise ValueError(f"Invalid suffix {suffix!r}")
        return self.with_name(self.stem + suffix)

    def relative_to(self, other, *, walk_up=False):
        other = self.with_segments(other)
        count = len(other._parts)
        if self._root == other._root and self._parts[:count] == other._parts:
            return self._new("", self._parts[count:])
        if not walk_up:
            raise ValueError(f"{str(self)!r} is not in the subpath of {str(other)!r}")
        if self._root != other._root:
            raise ValueError(f"{str(self)!r} and {str(other)!r} have different anchors")
        same = 0
        while same < min(count, len(self._parts)) and self._parts[same] == other._parts[same]:
            same += 1
        if ".." in other._parts[same:]:
            raise ValueError(f"'..' segment in {str(other)!r} cannot be walked")
        return self._new("", [".."] * (count - same) + self._parts[same:])

    def is_relative_to(self, other):
        other = self.with_segments(other)
        return self._root == other._root and self._parts[:len(other._parts)] == other._parts

    def match(self, path_pattern, *, case_sensitive=None):
        pattern = self.with_segments(path_pattern)
        if not pattern._parts and not pattern._root:
            raise ValueError("empty pattern")
        mine, wanted = list(self.parts), list(pattern.parts)
        if len(mine) < len(wanted) or pattern._root and len(mine) != len(wanted):
            return False
        mine = mine[len(mine) - len(wanted):]
        return all([_matches(a, b) for a, b in zip(mine, wanted)])


def _matches(name, pattern):
    import re

    found = ""
    i = 0
    while i < len(pattern):
        char = pattern[i]
        i += 1
        if char == "*":
            found += ".*"
        elif char == "?":
            found += "."
        elif char == "[" and "]" in pattern[i + 1:]:
            end = pattern.index("]", i + 1)
            inside = pattern[i:end].replace("\\", "\\\\")
            found += "[" + ("^" + inside[1:] if inside[0] == "!" else inside) + "]"
            i = end + 1
        else:
            found += re.escape(char)
    return re.fullmatch(found, name, re.DOTALL) is not None


class PurePosixPath(PurePath):
    pass


class Path(PurePosixPath):
    @classmethod
    def cwd(cls):
        return cls(os.getcwd())

    def absolute(self):
        return self if self._root else type(self)(os.getcwd(), self)

    def resolve(self, strict=False):
        return type(self)(_names.realpath(str(self), strict=strict))

    def exists(self, *, follow_symlinks=True):
        return _names.exists(str(self))

    def is_file(self, *, follow_symlinks=True):
        return _names.isfile(str(self))

    def is_dir(self, *, follow_symlinks=True):
        return _names.isdir(str(self))

    def is_symlink(self):
        return False

    is_mount = is_socket = is_fifo = is_block_device = is_char_device = is_symlink

    def stat(self, *, follow_symlinks=True):
        return os.stat(str(self))

    def open(self, mode="r", buffering=-1, encoding=None, errors=None, newline=None):
        return open(str(self), mode)

    def read_text(self, encoding=None, errors=None, newline=None):
        with self.open() as file:
            return file.read()

    def read_bytes(self):
        with self.open("rb") as file:
            return file.read()

    def write_text(self, data, encoding=None, errors=None, newline=None):
        if not isinstance(data, str):
            raise TypeError(f"data must be str, not {type(data).__name__}")
        with self.open("w") as file:
            return file.write(data)

    def write_bytes(self, data):
        with self.open("wb") as file:
            return file.write(data)

    def mkdir(self, mode=0o777, parents=False, exist_ok=False):
        if parents:
            os.makedirs(str(self), exist_ok=exist_ok)
            return
        try:
            os.mkdir(str(self))
        except OSError:
            if not exist_ok or not self.is_dir():
                raise

    def touch(self, mode=0o666, exist_ok=True):
        if self.exists() and not exist_ok:
            raise FileExistsError(17, "File exists", str(self))
        self.open("a").close()

    def rmdir(self):
        os.rmdir(str(self))

    def unlink(self, missing_ok=False):
        try:
            os.remove(str(self))
        except FileNotFoundError:
            if not missing_ok:
                raise

    def rename(self, target):
        os.rename(str(self), str(target))
        return type(self)(target)

    replace = rename

    def iterdir(self):
        for name in os.listdir(str(self)):
            yield self / name

    def samefile(self, other_path):
        return _names.samefile(str(self), str(other_path))

    def glob(self, pattern, *, case_sensitive=None, recurse_symlinks=False):
        parts = type(self)(pattern)._parts
        if not parts:
            raise ValueError(f"Unacceptable pattern: {pattern!r}")
        yield from self._select(parts)

    def rglob(self, pattern, *, case_sensitive=None, recurse_symlinks=False):
        yield from self._select(["**"] + type(self)(pattern)._parts)

    def _select(self, parts):
        if not parts:
            yield self
            return
        first, rest = parts[0], parts[1:]
        if first == "**":
            found = []
            for each in self._select(rest) if rest else [self]:
                found.append(each)
                yield each
            for child in list(self.iterdir()):
                if child.is_dir():
                    for each in child._select(parts):
                        if each not in found:
                            yield each
        elif any([char in first for char in "*?["]):
            if self.is_dir():
                for child in list(self.iterdir()):
                    if _matches(child.name, first) and (not rest or child.is_dir()):
                        yield from child._select(rest)
        else:
            child = self / first
            if child.exists():
                yield from child._select(rest)

    def walk(self, top_down=True, on_error=None, follow_symlinks=False):
        for top, dirs, files in os.walk(str(self), top_down, on_error):
            yield type(self)(top), dirs, files

    def expanduser(self):
        return type(self)(_names.expanduser(str(self)))


class PosixPath(Path):
    pass
