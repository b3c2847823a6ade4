from ubinascii import a2b_base64, b2a_base64, hexlify, unhexlify

_ALPHABET32 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_ALPHABET85 = (b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
               b"!#$%&()*+-;<=>?@^_`{|}~")


def _bytes(s):
    if isinstance(s, str):
        for c in s:
            if ord(c) > 127:
                raise ValueError("string argument should contain only ASCII characters")
        return s.encode()
    return bytes(s)


def _data(s):
    if isinstance(s, str):
        raise TypeError("a bytes-like object is required, not 'str'")
    return bytes(s)


def b64encode(s, altchars=None):
    encoded = b2a_base64(_data(s))[:-1]
    if altchars is not None:
        encoded = encoded.replace(b"+", altchars[:1]).replace(b"/", altchars[1:2])
    return encoded


def _error(message):
    from binascii import Error

    return Error(message)


def b64decode(s, altchars=None, validate=False):
    s = _bytes(s)
    if altchars is not None:
        altchars = _bytes(altchars)
        s = s.replace(altchars[:1], b"+").replace(altchars[1:2], b"/")
    kept = bytearray()
    pads = 0
    for c in s:
        if 48 <= c <= 57 or 65 <= c <= 90 or 97 <= c <= 122 or c == 43 or c == 47:
            if pads and validate:
                raise _error("Excess data after padding")
            if pads and len(kept) % 4 + pads >= 4:
                continue
            pads = 0
            kept.append(c)
        elif c == 61:
            pads += 1
        elif validate:
            raise _error("Only base64 data is allowed")
    left = len(kept) % 4
    if left == 1:
        raise _error("Invalid base64-encoded string: number of data characters "
                     f"({len(kept)}) cannot be 1 more than a multiple of 4")
    if left and left + pads < 4:
        raise _error("Incorrect padding")
    return a2b_base64(bytes(kept) + b"==="[:-left % 4])


standard_b64encode = b64encode
standard_b64decode = b64decode


def urlsafe_b64encode(s):
    return b64encode(s, b"-_")


def urlsafe_b64decode(s):
    return b64decode(s, b"-_")


def encodebytes(s):
    s = _data(s)
    return b"".join([b2a_base64(s[i:i + 57]) for i in range(0, len(s), 57)])


def decodebytes(s):
    return b64decode(s)


def b16encode(s):
    return hexlify(_data(s)).upper()


def b16decode(s, casefold=False):
    s = _bytes(s)
    if casefold:
        s = s.upper()
    for c in s:
        if not (48 <= c <= 57 or 65 <= c <= 70):
            raise _error("Non-base16 digit found")
    if len(s) % 2:
        raise _error("Odd-length string")
    return unhexlify(s)


def b32encode(s, _alphabet=_ALPHABET32):
    s = _data(s)
    pad = -len(s) % 5
    s += bytes(pad)
    encoded = bytearray()
    for i in range(0, len(s), 5):
        n = int.from_bytes(s[i:i + 5], "big")
        for shift in range(35, -1, -5):
            encoded.append(_alphabet[n >> shift & 31])
    left = (0, 1, 3, 4, 6)[pad]
    return bytes(encoded[:len(encoded) - left]) + b"=" * left


def b32decode(s, casefold=False, map01=None, _alphabet=_ALPHABET32):
    s = _bytes(s)
    if len(s) % 8:
        raise _error("Incorrect padding")
    if casefold:
        s = s.upper()
    body = s.rstrip(b"=")
    pad = len(s) - len(body)
    if pad not in (0, 1, 3, 4, 6):
        raise _error("Incorrect padding")
    decoded = b""
    body += _alphabet[:1] * pad
    for i in range(0, len(body), 8):
        n = 0
        for c in body[i:i + 8]:
            digit = _alphabet.find(bytes([c]))
            if digit < 0:
                raise _error("Non-base32 digit found")
            n = n << 5 | digit
        decoded += n.to_bytes(5, "big")
    return decoded[:len(decoded) - (pad * 5 + 7) // 8] if pad else decoded


def b32hexencode(s):
    return b32encode(s, b"0123456789ABCDEFGHIJKLMNOPQRSTUV")


def b32hexdecode(s, casefold=False):
    return b32decode(s, casefold, None, b"0123456789ABCDEFGHIJKLMNOPQRSTUV")


def b85encode(b, pad=False):
    b = _data(b)
    padding = -len(b) % 4
    b += bytes(padding)
    encoded = bytearray()
    for i in range(0, len(b), 4):
        n = int.from_bytes(b[i:i + 4], "big")
        for scale in (52200625, 614125, 7225, 85, 1):
            encoded.append(_ALPHABET85[n // scale % 85])
    return bytes(encoded if pad or not padding else encoded[:len(encoded) - padding])


def b85decode(b):
    b = _bytes(b)
    padding = -len(b) % 5
    b += b"~" * padding
    decoded = b""
    for i in range(0, len(b), 5):
        n = 0
        for j, c in enumerate(b[i:i + 5]):
            digit = _ALPHABET85.find(bytes([c]))
            if digit < 0:
                raise ValueError(f"bad base85 character at position {i + j}")
            n = n * 85 + digit
        if n > 0xFFFFFFFF:
            raise ValueError(f"base85 overflow in hunk starting at byte {i}")
        decoded += n.to_bytes(4, "big")
    return decoded[:len(decoded) - padding] if padding else decoded
