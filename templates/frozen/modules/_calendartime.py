# The functions of module time that have to do with dates.
import utime
from collections import namedtuple

_Fields = namedtuple("time.struct_time", (
    "tm_year", "tm_mon", "tm_mday", "tm_hour", "tm_min", "tm_sec", "tm_wday", "tm_yday",
    "tm_isdst"), module="builtins")


def struct_time(sequence):
    return _Fields(*sequence)


def gmtime(seconds=None):
    if seconds is None:
        seconds = utime.time()
    return _Fields(*utime.gmtime(int(seconds // 1)), 0)


localtime = gmtime


def mktime(t):
    return float(utime.mktime(tuple(t)[:8]))


class _Moment:
    # The attributes of a datetime, for _timeformat.
    def __init__(self, t):
        self.year, self.month, self.day, self.hour, self.minute, self.second = tuple(t)[:6]
        self._weekday = t[6]

    def weekday(self):
        return self._weekday

    def _zone(self, mark):
        return "+0000"

    def tzname(self):
        return "UTC"


def strftime(format, t=None):
    import _timeformat

    return _timeformat.write(_Moment(gmtime() if t is None else t), format)


def asctime(t=None):
    return strftime("%a %b %e %H:%M:%S %Y", t)


def ctime(seconds=None):
    return asctime(gmtime(seconds))


def strptime(string, format="%a %b %d %H:%M:%S %Y"):
    import _timeformat
    import datetime

    d = datetime.datetime(*_timeformat.read(string, format)[:6])
    return _Fields(*d.timetuple())
