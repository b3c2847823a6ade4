whitespace = " \t\n\r\v\f"
ascii_lowercase = "abcdefghijklmnopqrstuvwxyz"
ascii_uppercase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ascii_letters = ascii_lowercase + ascii_uppercase
digits = "0123456789"
hexdigits = "0123456789abcdefABCDEF"
octdigits = "01234567"
punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
printable = digits + ascii_letters + punctuation + whitespace


def capwords(s, sep=None):
    words = s.split() if sep is None else s.split(sep)
    return (" " if sep is None else sep).join([word[:1].upper() + word[1:].lower() for word in words])


def __getattr__(name):
    if name == "__all__":
        return (
            "ascii_letters", "ascii_lowercase", "ascii_uppercase", "capwords", "digits",
            "hexdigits", "octdigits", "printable", "punctuation", "whitespace", "Formatter",
            "Template",
        )
    if name in ("Template", "Formatter"):
        import _string

        value = globals()[name] = getattr(_string, name)
        return value
    raise AttributeError(f"module 'string' has no attribute '{name}'")
