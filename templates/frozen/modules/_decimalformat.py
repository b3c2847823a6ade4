# The format specification of decimal numbers: [[fill]align][sign][0][width][,][.precision][type].
import decimal


def write(x, spec):
    fill, align, sign = " ", ">", "-"
    i = 0
    if spec[1:2] in ("<", ">", "^", "="):
        fill, align, i = spec[0], spec[1], 2
    elif spec[:1] in ("<", ">", "^", "="):
        align, i = spec[0], 1
    aligned = i and spec[i - 1] in "<>^="
    if spec[i:i + 1] in ("-", "+", " ") and spec[i:i + 1]:
        sign = spec[i]
        i += 1
    zeros = spec[i:i + 1] == "0"
    if zeros:
        if aligned:
            raise ValueError("invalid format string")
        i += 1
    start = i
    while spec[i:i + 1].isdigit():
        i += 1
    width = int(spec[start:i] or "0")
    mark = ""
    if spec[i:i + 1] in (",", "_") and spec[i:i + 1]:
        mark = spec[i]
        i += 1
    precision = None
    if spec[i:i + 1] == ".":
        start = i = i + 1
        while spec[i:i + 1].isdigit():
            i += 1
        precision = int(spec[start:i])
    kind = spec[i:]
    rounding = decimal.getcontext().rounding
    if kind == "n" and mark or kind not in ("", "e", "E", "f", "F", "g", "G", "n", "%"):
        raise ValueError("invalid format string")
    if x._kind:
        text = str(x.copy_abs()) + ("%" if kind == "%" else "")
    else:
        if kind == "%":
            x = decimal._make(x._sign, x._int, x._exp + 2)
        if kind in ("f", "F", "%"):
            if precision is not None:
                n, _ = x._rescaled(-precision, rounding)
                x = decimal._make(x._sign, n, -precision)
            elif x._exp > 0:
                x = decimal._make(x._sign, x._int * 10 ** x._exp, 0)
            text = _fixed(x)
        elif kind in ("e", "E"):
            text = _scientific(x, precision, kind, rounding)
        else:
            if precision is not None and decimal._size(x._int) > max(precision, 1):
                n, _ = x._rescaled(x._exp + decimal._size(x._int) - max(precision, 1), rounding)
                exponent = x._exp + decimal._size(x._int) - max(precision, 1)
                x = decimal._make(x._sign, n, exponent)
            text = str(x.copy_abs())
            if kind in ("g", "n"):
                text = text.replace("E", "e")
        if kind == "%":
            text += "%"
    prefix = "-" if x._sign else "" if sign == "-" else sign
    if not x._kind and (mark or zeros):
        at = 0
        while at < len(text) and "0" <= text[at] <= "9":
            at += 1
        whole, tail = text[:at], text[at:]
        from _fractionformat import padded

        room = width - len(prefix) - len(tail) if zeros else 0
        text = padded(whole, mark, max(room, 0)) + tail
    elif zeros:
        fill = " "
    pad = width - len(prefix) - len(text)
    if pad <= 0:
        return prefix + text
    if align == "=":
        return prefix + fill * pad + text
    if align == "<":
        return prefix + text + fill * pad
    left = pad // 2 if align == "^" else pad
    return fill * left + prefix + text + fill * (pad - left)


def _fixed(x):
    digits = str(x._int)
    if x._exp >= 0:
        return digits
    places = -x._exp
    if len(digits) <= places:
        digits = "0" * (places - len(digits) + 1) + digits
    return digits[:-places] + "." + digits[-places:]


def _scientific(x, precision, kind, rounding):
    size = decimal._size(x._int)
    exponent = x._exp + size - 1
    if precision is not None and not x._int:
        digits = "0" * (precision + 1)
        exponent = x._exp + precision
    elif precision is not None:
        n, _ = x._rescaled(exponent - precision, rounding)
        if decimal._size(n) > precision + 1:
            n //= 10
            exponent += 1
        digits = str(n)
    else:
        digits = str(x._int)
    text = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    return text + kind + "%+d" % exponent
