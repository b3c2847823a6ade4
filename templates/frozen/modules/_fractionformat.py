# The format specification of fractions:
# [[fill]align][sign][z][#][0][width][,][.precision][type].


def parse(x, spec):
    # Fill, align, sign, "z", "#", zero padding, width, mark, precision and type.
    def fail():
        raise ValueError(f"Invalid format specifier {spec!r} for object of type "
                         f"{type(x).__name__!r}")

    fill, align, sign = " ", "", "-"
    i = 0
    if len(spec) > 1 and spec[1] in "<>^=":
        fill, align, i = spec[0], spec[1], 2
    elif spec and spec[0] in "<>^=":
        align, i = spec[0], 1

    def take(choices):
        nonlocal i
        c = spec[i:i + 1]
        if c and c in choices:
            i += 1
            return c
        return ""

    def number():
        nonlocal i
        start = i
        while "0" <= spec[i:i + 1] <= "9":
            i += 1
        return spec[start:i]

    sign = take("-+ ") or "-"
    no_negative_zero = take("z")
    alternate = take("#")
    zeros = spec[i:i + 1] == "0" and spec[i + 1:i + 2].isdigit() and bool(take("0"))
    width = number()
    if len(width) > 1 and width[0] == "0" or zeros and align:
        fail()
    mark = take(",_")
    precision = None
    if take("."):
        precision = number()
        if not precision:
            fail()
        precision = int(precision)
    kind = take("eEfFgG%")
    if i < len(spec) or not kind and (no_negative_zero or zeros or precision is not None):
        fail()
    return fill, align or ">", sign, no_negative_zero, alternate, zeros, int(width or 0), mark, \
        precision, kind


def grouped(digits, mark):
    if not mark:
        return digits
    start = len(digits) % 3 or 3
    parts = [digits[:start]]
    for i in range(start, len(digits), 3):
        parts.append(digits[i:i + 3])
    return mark.join(parts)


def padded(digits, mark, room):
    # Zeros before the digits, so that they fill the room with the marks between groups.
    count = room - room // 4 if mark else room
    if mark and count + (count - 1) // 3 < room:
        count += 1
    return grouped("0" * (count - len(digits)) + digits, mark)


def _rounded(n, d):
    # The quotient of two integers, rounded half to even.
    q, r = divmod(n, d)
    return q + (2 * r > d or 2 * r == d and q & 1)


def _figures(n, d, count):
    # (digits, exponent): the quotient rounded to `count` digits is digits * 10 ** exponent.
    if not n:
        return 0, 1 - count
    exponent = len(str(n)) - len(str(d))
    if n < d * 10 ** exponent if exponent >= 0 else n * 10 ** -exponent < d:
        exponent -= 1
    exponent -= count - 1
    digits = _rounded(n, d * 10 ** exponent) if exponent >= 0 else _rounded(n * 10 ** -exponent, d)
    if digits >= 10 ** count:
        digits //= 10
        exponent += 1
    return digits, exponent


def write(x, spec):
    if not spec:
        return str(x)
    fill, align, sign, positive, alternate, zeros, width, mark, precision, kind = parse(x, spec)
    negative = x.numerator < 0
    n, d = abs(x.numerator), x.denominator
    tail = ""
    if not kind:
        whole = grouped(str(n), mark)
        if d != 1 or alternate:
            tail = "/" + grouped(str(d), mark)
    else:
        precision = 6 if precision is None else precision
        scientific = kind in "eE"
        if kind in "fF%":
            point = precision
            digits = _rounded(n * 10 ** (precision + (2 if kind == "%" else 0)), d)
        else:
            count = precision + 1 if scientific else max(precision, 1)
            digits, exponent = _figures(n, d, count)
            scientific = scientific or exponent > 0 or exponent + count < -3
            point = count - 1 if scientific else -exponent
            if kind in "eE":
                point = precision
        if not digits and positive:
            negative = False
        text = str(digits)
        text = "0" * (point + 1 - len(text)) + text
        whole = text[:len(text) - point]
        part = text[len(text) - point:]
        if kind in "gG" and not alternate:
            part = part.rstrip("0")
        if part or alternate:
            tail = "." + part
        if scientific:
            tail += ("E" if kind in "EG" else "e") + "%+03d" % (exponent + point)
        if kind == "%":
            tail += "%"
        room = width - len(tail) - (negative or sign != "-") if zeros else 0
        whole = padded(whole, mark, max(room, 0))
    prefix = "-" if negative else "" if sign == "-" else sign
    pad = width - len(prefix) - len(whole) - len(tail)
    if pad <= 0:
        return prefix + whole + tail
    if align == "=":
        return prefix + fill * pad + whole + tail
    if align == "<":
        return prefix + whole + tail + fill * pad
    left = pad // 2 if align == "^" else pad
    return fill * left + prefix + whole + tail + fill * (pad - left)
