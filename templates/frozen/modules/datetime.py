# Dates of the proleptic Gregorian calendar. The local time zone is UTC.
MINYEAR = 1
MAXYEAR = 9999


def _leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _month_days(year, month):
    return 28 + _leap(year) if month == 2 else 30 + (month + month // 8) % 2


def _before_month(year, month):
    # Days of the year before the month.
    return (367 * month - 362) // 12 - (0 if month <= 2 else 1 if _leap(year) else 2)


def _ordinal(year, month, day):
    y = year - 1
    return y * 365 + y // 4 - y // 100 + y // 400 + _before_month(year, month) + day


def _from_ordinal(n):
    # The year by its average length, then corrected.
    year = (n - 1) * 400 // 146097 + 1
    while _ordinal(year, 1, 1) > n:
        year -= 1
    while _ordinal(year + 1, 1, 1) <= n:
        year += 1
    rest = n - _ordinal(year, 1, 1)
    month = rest // 32 + 1
    while month < 12 and _before_month(year, month + 1) <= rest:
        month += 1
    return year, month, rest - _before_month(year, month) + 1


def _check(value, low, high, name):
    if isinstance(value, float) or not isinstance(value, (int, bool)):
        raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer")
    if not low <= value <= high:
        if name == "year":
            raise ValueError(f"year {value} is out of range")
        if name == "day":
            raise ValueError("day is out of range for month")
        raise ValueError(f"{name} must be in {low}..{high}")


def _check_date(year, month, day):
    _check(year, 1, 9999, "year")
    _check(month, 1, 12, "month")
    _check(day, 1, _month_days(year, month), "day")


def _check_time(hour, minute, second, microsecond):
    _check(hour, 0, 23, "hour")
    _check(minute, 0, 59, "minute")
    _check(second, 0, 59, "second")
    _check(microsecond, 0, 999999, "microsecond")


class timedelta:
    def __init__(self, days=0, seconds=0, microseconds=0, milliseconds=0, minutes=0, hours=0,
                 weeks=0):
        # Integers are exact; the fraction of a float is rounded to a microsecond at the end.
        total = 0
        rest = 0.0
        for value, unit in ((weeks, 604800000000), (days, 86400000000), (hours, 3600000000),
                            (minutes, 60000000), (seconds, 1000000), (milliseconds, 1000),
                            (microseconds, 1)):
            if isinstance(value, float):
                whole = int(value)
                total += whole * unit
                part = (value - whole) * unit
                whole = int(part)
                total += whole
                rest += part - whole
            elif value:
                total += value * unit
        if rest:
            whole = int(rest // 1)
            total += whole
            rest -= whole
            total += rest > 0.5 or rest == 0.5 and total % 2
        self._set(total)

    def _set(self, total):
        self._us = total
        days, rest = divmod(total, 86400000000)
        if not -999999999 <= days <= 999999999:
            raise OverflowError(f"days={days}; must have magnitude <= 999999999")
        self.days = days
        self.seconds = rest // 1000000
        self.microseconds = rest % 1000000

    def total_seconds(self):
        return self._us / 1000000

    def __repr__(self):
        parts = []
        for name in ("days", "seconds", "microseconds"):
            value = getattr(self, name)
            if value:
                parts.append(f"{name}={value}")
        return f"datetime.timedelta({', '.join(parts) or '0'})"

    def __str__(self):
        text = f"{self.seconds // 3600}:{self.seconds // 60 % 60:02d}:{self.seconds % 60:02d}"
        if self.days:
            s = "" if abs(self.days) == 1 else "s"
            text = f"{self.days} day{s}, {text}"
        return text + (f".{self.microseconds:06d}" if self.microseconds else "")

    def __add__(self, other):
        return _delta(self._us + other._us) if isinstance(other, timedelta) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other):
        return _delta(self._us - other._us) if isinstance(other, timedelta) else NotImplemented

    def __mul__(self, other):
        if isinstance(other, float):
            n, d = _ratio(other)
            return _delta(_divide(self._us * n, d))
        return _delta(self._us * other) if isinstance(other, (int, bool)) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other):
        if isinstance(other, timedelta):
            return self._us / other._us
        if isinstance(other, float):
            n, d = _ratio(other)
            return _delta(_divide(self._us * d, n))
        return _delta(_divide(self._us, other))

    def __floordiv__(self, other):
        if isinstance(other, timedelta):
            return self._us // other._us
        return _delta(self._us // other)

    def __mod__(self, other):
        return _delta(self._us % other._us) if isinstance(other, timedelta) else NotImplemented

    def __divmod__(self, other):
        q, r = divmod(self._us, other._us)
        return q, _delta(r)

    def __neg__(self):
        return _delta(-self._us)

    def __pos__(self):
        return self

    def __abs__(self):
        return _delta(abs(self._us))

    def __bool__(self):
        return self._us != 0

    def __hash__(self):
        return hash(self._us)

    def __eq__(self, other):
        return isinstance(other, timedelta) and self._us == other._us

    def __lt__(self, other):
        return self._us < other._us if isinstance(other, timedelta) else NotImplemented

    def __le__(self, other):
        return self._us <= other._us if isinstance(other, timedelta) else NotImplemented

    def __gt__(self, other):
        return self._us > other._us if isinstance(other, timedelta) else NotImplemented

    def __ge__(self, other):
        return self._us >= other._us if isinstance(other, timedelta) else NotImplemented


def _delta(total):
    new = timedelta()
    new._set(total)
    return new


def _ratio(x):
    from fractions import _ratio

    return _ratio(x)


def _divide(a, b):
    # The nearest integer to a / b, ties to even.
    if b < 0:
        a, b = -a, -b
    q, r = divmod(a, b)
    return q + (2 * r > b or 2 * r == b and q % 2 == 1)


timedelta.min = _delta(-999999999 * 86400000000)
timedelta.max = _delta(1000000000 * 86400000000 - 1)
timedelta.resolution = _delta(1)


class tzinfo:
    def utcoffset(self, dt):
        raise NotImplementedError("a tzinfo subclass must implement utcoffset()")

    def dst(self, dt):
        raise NotImplementedError("a tzinfo subclass must implement dst()")

    def tzname(self, dt):
        raise NotImplementedError("a tzinfo subclass must implement tzname()")

    def fromutc(self, dt):
        return dt + self.utcoffset(dt)


class timezone(tzinfo):
    def __init__(self, offset, name=None):
        if not isinstance(offset, timedelta):
            raise TypeError(f"timezone() argument 1 must be datetime.timedelta, not "
                            f"{type(offset).__name__}")
        if not -86400000000 < offset._us < 86400000000:
            raise ValueError("offset must be a timedelta strictly between -timedelta(hours=24) and "
                             f"timedelta(hours=24), not {offset!r}.")
        self._offset = offset
        self._name = name

    def utcoffset(self, dt):
        return self._offset

    def dst(self, dt):
        return None

    def tzname(self, dt):
        if self._name is not None:
            return self._name
        return "UTC" + _offset(self._offset, ":") if self._offset else "UTC"

    __str__ = lambda self: self.tzname(None)

    def __eq__(self, other):
        return isinstance(other, timezone) and self._offset == other._offset

    def __hash__(self):
        return hash(self._offset)

    def __repr__(self):
        if self is timezone.utc:
            return "datetime.timezone.utc"
        name = "" if self._name is None else f", {self._name!r}"
        return f"datetime.timezone({self._offset!r}{name})"


timezone.utc = UTC = timezone(timedelta())


def _offset(delta, mark):
    sign = "-" if delta._us < 0 else "+"
    total = abs(delta._us)
    seconds = total // 1000000
    text = f"{sign}{seconds // 3600:02d}{mark}{seconds // 60 % 60:02d}"
    if seconds % 60 or total % 1000000:
        text += f"{mark}{seconds % 60:02d}"
    return text + (f".{total % 1000000:06d}" if total % 1000000 else "")


class date:
    def __init__(self, year, month=None, day=None):
        for value, name, place in ((month, "month", 2), (day, "day", 3)):
            if value is None:
                raise TypeError(f"function missing required argument '{name}' (pos {place})")
        _check_date(year, month, day)
        self.year = year
        self.month = month
        self.day = day

    @classmethod
    def today(cls):
        import utime

        return cls.fromtimestamp(utime.time())

    @classmethod
    def fromtimestamp(cls, t):
        return cls.fromordinal(719163 + int(t // 86400))

    @classmethod
    def fromordinal(cls, n):
        if n < 1:
            raise ValueError("ordinal must be >= 1")
        return cls(*_from_ordinal(n))

    @classmethod
    def fromisoformat(cls, date_string):
        try:
            return cls(*_parse_date(date_string))
        except (ValueError, IndexError):
            raise ValueError(f"Invalid isoformat string: {date_string!r}")

    @classmethod
    def fromisocalendar(cls, year, week, day):
        first = _ordinal(year, 1, 4)
        first -= (first - 1) % 7
        weeks = 53 if _iso(_ordinal(year, 12, 28))[1] == 53 else 52
        if not 1 <= week <= weeks:
            raise ValueError(f"Invalid week: {week}")
        if not 1 <= day <= 7:
            raise ValueError(f"Invalid weekday: {day} (range is [1, 7])")
        return cls.fromordinal(first + (week - 1) * 7 + day - 1)

    def toordinal(self):
        return _ordinal(self.year, self.month, self.day)

    def weekday(self):
        return (self.toordinal() + 6) % 7

    def isoweekday(self):
        return self.weekday() + 1

    def isocalendar(self):
        from collections import namedtuple

        named = namedtuple("datetime.IsoCalendarDate", ("year", "week", "weekday"),
                           module="builtins")
        return named(*_iso(self.toordinal()))

    def timetuple(self):
        return _timetuple(self, 0, 0, 0, -1)

    def replace(self, year=None, month=None, day=None):
        return type(self)(self.year if year is None else year,
                          self.month if month is None else month,
                          self.day if day is None else day)

    def isoformat(self):
        return f"{self.year:04d}-{self.month:02d}-{self.day:02d}"

    __str__ = isoformat

    def ctime(self):
        return self.strftime("%a %b %e %H:%M:%S %Y")

    def strftime(self, format):
        import _timeformat

        return _timeformat.write(self, format)

    def __format__(self, format):
        return self.strftime(format) if format else str(self)

    def __repr__(self):
        return f"datetime.date({self.year}, {self.month}, {self.day})"

    def __hash__(self):
        return hash((self.year, self.month, self.day))

    def _key(self, other):
        if isinstance(other, datetime) or not isinstance(other, date):
            return None
        return (other.year, other.month, other.day)

    def __eq__(self, other):
        return (self.year, self.month, self.day) == self._key(other)

    def __lt__(self, other):
        key = self._key(other)
        return NotImplemented if key is None else (self.year, self.month, self.day) < key

    def __le__(self, other):
        key = self._key(other)
        return NotImplemented if key is None else (self.year, self.month, self.day) <= key

    def __gt__(self, other):
        key = self._key(other)
        return NotImplemented if key is None else (self.year, self.month, self.day) > key

    def __ge__(self, other):
        key = self._key(other)
        return NotImplemented if key is None else (self.year, self.month, self.day) >= key

    def __add__(self, other):
        if not isinstance(other, timedelta):
            return NotImplemented
        n = self.toordinal() + other.days
        if not 1 <= n <= 3652059:
            raise OverflowError("date value out of range")
        return type(self).fromordinal(n)

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return self + _delta(-other.days * 86400000000)
        if isinstance(other, date):
            return _delta((self.toordinal() - other.toordinal()) * 86400000000)
        return NotImplemented


def _iso(n):
    year = _from_ordinal(n - (n - 1) % 7 + 3)[0]
    first = _ordinal(year, 1, 4)
    first -= (first - 1) % 7
    return year, (n - first) // 7 + 1, (n - 1) % 7 + 1


def _timetuple(d, hour, minute, second, dst):
    import time

    values = (d.year, d.month, d.day, hour, minute, second, d.weekday(),
              _before_month(d.year, d.month) + d.day, dst)
    make = getattr(time, "struct_time", None)
    return values if make is None else make(values)


def _digits(s):
    if not s or not s.isdigit():
        raise ValueError
    return int(s)


def _parse_date(s):
    if len(s) == 10 and s[4] == s[7] == "-":
        return _digits(s[:4]), _digits(s[5:7]), _digits(s[8:])
    if len(s) == 8 and "W" not in s:
        return _digits(s[:4]), _digits(s[4:6]), _digits(s[6:])
    if s[4:6] == "-W" or s[4:5] == "W":
        rest = s[4:].replace("-", "")[1:]
        if len(rest) not in (2, 3):
            raise ValueError
        d = date.fromisocalendar(_digits(s[:4]), _digits(rest[:2]), _digits(rest[2:] or "1"))
        return d.year, d.month, d.day
    raise ValueError


def _parse_clock(s):
    # hour, minute, second, microsecond of HH[:MM[:SS[.ffffff]]], with colons or without.
    main, mark, fraction = s.replace(",", ".").partition(".")
    parts = main.split(":") if ":" in main else [main[i:i + 2] for i in range(0, len(main), 2)]
    if not 1 <= len(parts) <= 3 or mark and (len(parts) != 3 or not fraction):
        raise ValueError
    values = []
    for part in parts:
        if len(part) != 2:
            raise ValueError
        values.append(_digits(part))
    values += [0] * (3 - len(values))
    values.append(_digits((fraction + "00000")[:6]) if mark else 0)
    return values


def _parse_time(s):
    zone = None
    place = max(s.rfind("+"), s.rfind("-"))
    if s.endswith("Z"):
        s, zone = s[:-1], timezone.utc
    elif place > 0:
        h, m, sec, us = _parse_clock(s[place + 1:])
        offset = timedelta(hours=h, minutes=m, seconds=sec, microseconds=us)
        zone = timezone(-offset if s[place] == "-" else offset) if offset else timezone.utc
        s = s[:place]
    return _parse_clock(s) + [zone]


class time:
    def __init__(self, hour=0, minute=0, second=0, microsecond=0, tzinfo=None, *, fold=0):
        _check_time(hour, minute, second, microsecond)
        self.hour = hour
        self.minute = minute
        self.second = second
        self.microsecond = microsecond
        self.tzinfo = tzinfo
        self.fold = fold

    @classmethod
    def fromisoformat(cls, time_string):
        try:
            return cls(*_parse_time(time_string[1:] if time_string[:1] == "T" else time_string))
        except (ValueError, IndexError):
            raise ValueError(f"Invalid isoformat string: {time_string!r}")

    def replace(self, **changes):
        for name in ("hour", "minute", "second", "microsecond", "tzinfo"):
            changes.setdefault(name, getattr(self, name))
        return type(self)(**changes)

    def isoformat(self, timespec="auto"):
        return _clock(self, timespec) + self._zone(":")

    def _zone(self, mark):
        offset = self.utcoffset()
        return "" if offset is None else _offset(offset, mark)

    __str__ = lambda self: self.isoformat()

    def utcoffset(self):
        return None if self.tzinfo is None else self.tzinfo.utcoffset(None)

    def dst(self):
        return None if self.tzinfo is None else self.tzinfo.dst(None)

    def tzname(self):
        return None if self.tzinfo is None else self.tzinfo.tzname(None)

    strftime = date.strftime
    __format__ = date.__format__

    def __repr__(self):
        return f"datetime.time({_clock_repr(self)})"

    def _key(self):
        us = ((self.hour * 60 + self.minute) * 60 + self.second) * 1000000 + self.microsecond
        offset = self.utcoffset()
        return us if offset is None else us - offset._us

    def _compare(self, other):
        if not isinstance(other, time):
            return None
        if (self.utcoffset() is None) != (other.utcoffset() is None):
            raise TypeError("can't compare offset-naive and offset-aware times")
        return other._key()

    def __hash__(self):
        return hash(self._key())

    def __eq__(self, other):
        return (isinstance(other, time) and (self.utcoffset() is None) == (
            other.utcoffset() is None) and self._key() == other._key())

    def __lt__(self, other):
        key = self._compare(other)
        return NotImplemented if key is None else self._key() < key

    def __le__(self, other):
        key = self._compare(other)
        return NotImplemented if key is None else self._key() <= key

    def __gt__(self, other):
        key = self._compare(other)
        return NotImplemented if key is None else self._key() > key

    def __ge__(self, other):
        key = self._compare(other)
        return NotImplemented if key is None else self._key() >= key


def _clock(t, timespec):
    if timespec == "auto":
        timespec = "microseconds" if t.microsecond else "seconds"
    text = f"{t.hour:02d}"
    for name in ("minutes", "seconds"):
        if timespec == "hours":
            return text
        text += f":{t.minute if name == 'minutes' else t.second:02d}"
        if timespec == name:
            return text
    if timespec == "milliseconds":
        return f"{text}.{t.microsecond // 1000:03d}"
    if timespec == "microseconds":
        return f"{text}.{t.microsecond:06d}"
    raise ValueError("Unknown timespec value")


def _clock_repr(t):
    text = f"{t.hour}, {t.minute}"
    if t.second or t.microsecond:
        text += f", {t.second}"
    if t.microsecond:
        text += f", {t.microsecond}"
    return text if t.tzinfo is None else f"{text}, tzinfo={t.tzinfo!r}"


class datetime(date):
    # Before the method `time` hides the class. The comparisons call _key and _compare of this class.
    _zone = time._zone
    __hash__ = time.__hash__
    __lt__ = time.__lt__
    __le__ = time.__le__
    __gt__ = time.__gt__
    __ge__ = time.__ge__

    def __init__(self, year, month=None, day=None, hour=0, minute=0, second=0, microsecond=0,
                 tzinfo=None, *, fold=0):
        date.__init__(self, year, month, day)
        _check_time(hour, minute, second, microsecond)
        self.hour = hour
        self.minute = minute
        self.second = second
        self.microsecond = microsecond
        self.tzinfo = tzinfo
        self.fold = fold

    @classmethod
    def now(cls, tz=None):
        import utime

        ns = utime.time_ns()
        found = cls._at(ns // 1000, timezone.utc if tz is not None else None)
        return found if tz is None else found.astimezone(tz)

    @classmethod
    def today(cls):
        return cls.now()

    @classmethod
    def utcnow(cls):
        return cls.now()

    @classmethod
    def _at(cls, us, tz):
        days, us = divmod(us, 86400000000)
        seconds = us // 1000000
        return cls(*_from_ordinal(719163 + days), seconds // 3600, seconds // 60 % 60,
                   seconds % 60, us % 1000000, tz)

    @classmethod
    def fromtimestamp(cls, t, tz=None):
        n, d = _ratio(t) if isinstance(t, float) else (t, 1)
        us = _divide(n * 1000000, d)
        if tz is None:
            return cls._at(us, None)
        return cls._at(us, timezone.utc).astimezone(tz)

    @classmethod
    def utcfromtimestamp(cls, t):
        return cls.fromtimestamp(t)

    @classmethod
    def fromordinal(cls, n):
        if n < 1:
            raise ValueError("ordinal must be >= 1")
        return cls(*_from_ordinal(n))

    @classmethod
    def combine(cls, date, time, tzinfo=True):
        return cls(date.year, date.month, date.day, time.hour, time.minute, time.second,
                   time.microsecond, time.tzinfo if tzinfo is True else tzinfo)

    @classmethod
    def fromisoformat(cls, date_string):
        try:
            # The date has 10, 8 or 7 characters, and then comes any one before the time.
            for size in (10, 8, 7):
                if len(date_string) == size or len(date_string) > size and (
                    not date_string[size].isdigit()
                ):
                    try:
                        values = _parse_date(date_string[:size])
                        break
                    except ValueError:
                        pass
            else:
                raise ValueError
            rest = date_string[size + 1:]
            clock = _parse_time(rest) if rest else []
            return cls(*(list(values) + clock))
        except (ValueError, IndexError):
            raise ValueError(f"Invalid isoformat string: {date_string!r}")

    @classmethod
    def strptime(cls, date_string, format):
        import _timeformat

        return cls(*_timeformat.read(date_string, format))

    def date(self):
        return date(self.year, self.month, self.day)

    def time(self):
        return time(self.hour, self.minute, self.second, self.microsecond)

    def timetz(self):
        return time(self.hour, self.minute, self.second, self.microsecond, self.tzinfo)

    def timetuple(self):
        dst = self.dst()
        return _timetuple(self, self.hour, self.minute, self.second,
                          -1 if dst is None else int(bool(dst)))

    def utctimetuple(self):
        offset = self.utcoffset()
        d = self - offset if offset else self
        return _timetuple(d, d.hour, d.minute, d.second, 0)

    def timestamp(self):
        return (self._key() - 719163 * 86400000000) / 1000000

    def replace(self, **changes):
        for name in ("year", "month", "day", "hour", "minute", "second", "microsecond", "tzinfo"):
            changes.setdefault(name, getattr(self, name))
        return type(self)(**changes)

    def astimezone(self, tz=None):
        tz = timezone.utc if tz is None else tz
        offset = self.utcoffset()
        utc = (self - offset if offset else self).replace(tzinfo=tz)
        return tz.fromutc(utc)

    def utcoffset(self):
        return None if self.tzinfo is None else self.tzinfo.utcoffset(self)

    def dst(self):
        return None if self.tzinfo is None else self.tzinfo.dst(self)

    def tzname(self):
        return None if self.tzinfo is None else self.tzinfo.tzname(self)

    def isoformat(self, sep="T", timespec="auto"):
        return date.isoformat(self) + sep + _clock(self, timespec) + self._zone(":")

    def __str__(self):
        return self.isoformat(" ")

    def __repr__(self):
        return (f"datetime.datetime({self.year}, {self.month}, {self.day}, {_clock_repr(self)})")

    def _us(self):
        return (self.toordinal() * 86400 + (self.hour * 60 + self.minute) * 60
                + self.second) * 1000000 + self.microsecond

    def _key(self):
        offset = self.utcoffset()
        return self._us() if offset is None else self._us() - offset._us

    def _compare(self, other):
        if not isinstance(other, datetime):
            return None
        if (self.utcoffset() is None) != (other.utcoffset() is None):
            raise TypeError("can't compare offset-naive and offset-aware datetimes")
        return other._key()

    def __eq__(self, other):
        return (isinstance(other, datetime) and (self.utcoffset() is None) == (
            other.utcoffset() is None) and self._key() == other._key())

    def __add__(self, other):
        if not isinstance(other, timedelta):
            return NotImplemented
        us = self._us() + other._us
        if not 86400000000 <= us < 3652060 * 86400000000:
            raise OverflowError("date value out of range")
        return type(self)._at(us - 719163 * 86400000000, self.tzinfo)

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return self + -other
        if isinstance(other, datetime):
            if self.tzinfo is other.tzinfo:
                return _delta(self._us() - other._us())
            if (self.utcoffset() is None) != (other.utcoffset() is None):
                raise TypeError("can't subtract offset-naive and offset-aware datetimes")
            return _delta(self._key() - other._key())
        return NotImplemented


date.min = date(1, 1, 1)
date.max = date(9999, 12, 31)
date.resolution = timedelta(1)
time.min = time()
time.max = time(23, 59, 59, 999999)
time.resolution = timedelta.resolution
datetime.min = datetime(1, 1, 1)
datetime.max = datetime(9999, 12, 31, 23, 59, 59, 999999)
datetime.resolution = timedelta.resolution
