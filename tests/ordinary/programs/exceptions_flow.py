class ConfigError(Exception):
    pass


class Resource:
    open_now = 0

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        Resource.open_now += 1
        print("open", self.name)
        return self

    def __exit__(self, kind, value, traceback):
        Resource.open_now -= 1
        print("close", self.name, "after", kind.__name__ if kind else "success")
        return kind is KeyError


def parse(line):
    key, sep, value = line.partition("=")
    if not sep:
        raise ConfigError("no '=' in %r" % line)
    try:
        return key.strip(), int(value)
    except ValueError as error:
        raise ConfigError("%s: not a number" % key.strip()) from error


def read(lines):
    good, bad = {}, []
    for number, line in enumerate(lines, 1):
        try:
            key, value = parse(line)
        except ConfigError as error:
            bad.append((number, str(error)))
        else:
            good[key] = value
        finally:
            pass
    return good, bad


print(read(["a = 1", "b=two", "nothing", "c =3", ""]))
with Resource("first") as first, Resource("second"):
    print(first.name, Resource.open_now)
with Resource("third"):
    {}["missing"]
try:
    with Resource("fourth"):
        [][1]
except (IndexError, TypeError) as error:
    print("IndexError" == type(error).__name__, Resource.open_now)


def cleanup():
    for i in range(3):
        try:
            if i == 1:
                continue
            if i == 2:
                return "left at %d" % i
        finally:
            print("finally", i)


print(cleanup())
