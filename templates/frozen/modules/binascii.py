# The C module, and the errors that CPython's raises.
import ubinascii


class Error(ValueError):
    pass


class Incomplete(Exception):
    pass


def __getattr__(name):
    if name == "b2a_hex":
        name = "hexlify"
    elif name == "a2b_hex":
        name = "unhexlify"
    elif name == "__all__":
        return [name for name in dir(ubinascii) if name[0] != "_"] + ["Error", "Incomplete"]
    return getattr(ubinascii, name)


def unhexlify(hexstr):
    if isinstance(hexstr, str):
        hexstr = hexstr.encode()
    if len(hexstr) % 2:
        raise Error("Odd-length string")
    try:
        return ubinascii.unhexlify(hexstr)
    except ValueError:
        raise Error("Non-hexadecimal digit found")
