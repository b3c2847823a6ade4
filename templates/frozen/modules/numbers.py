# Each class is made when a program first asks for it; the built-in numbers belong to them.
import _protocols

_protocols.install()


def __getattr__(name):
    if name == "Number":
        types, base = (int, bool, float, complex), ()
    elif name == "Complex":
        types, base = (int, bool, float, complex), ("Number",)
    elif name == "Real":
        types, base = (int, bool, float), ("Complex",)
    elif name in ("Rational", "Integral"):
        types, base = (int, bool), ("Real",) if name == "Rational" else ("Rational",)
    elif name == "__all__":
        return ("Number", "Complex", "Real", "Rational", "Integral")
    else:
        raise AttributeError(f"module 'numbers' has no attribute '{name}'")
    bases = tuple([globals().get(each) or __getattr__(each) for each in base])
    value = _protocols.new(name, bases, {}, lambda cls, obj: (
        issubclass(cls, types)
        # Fraction and Decimal say what they are, so that they need not import this module.
        or name in getattr(cls, "_numbers", ())
    ))
    globals()[name] = value
    return value
