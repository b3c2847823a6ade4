from datetime import _leap as isleap
from datetime import _month_days, _ordinal

MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY, SUNDAY = range(7)
(JANUARY, FEBRUARY, MARCH, APRIL, MAY, JUNE, JULY, AUGUST, SEPTEMBER, OCTOBER, NOVEMBER,
 DECEMBER) = range(1, 13)
day_name = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
day_abbr = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
month_name = ("", "January", "February", "March", "April", "May", "June", "July", "August",
              "September", "October", "November", "December")
month_abbr = ("", "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov",
              "Dec")
_first = [0]


class IllegalMonthError(ValueError):
    def __init__(self, month):
        super().__init__(month)
        self.month = month

    def __str__(self):
        return f"bad month number {self.month!r}; must be 1-12"


class IllegalWeekdayError(ValueError):
    def __init__(self, weekday):
        super().__init__(weekday)
        self.weekday = weekday

    def __str__(self):
        return f"bad weekday number {self.weekday!r}; must be 0 (Monday) to 6 (Sunday)"


def leapdays(y1, y2):
    y1 -= 1
    y2 -= 1
    return y2 // 4 - y1 // 4 - (y2 // 100 - y1 // 100) + y2 // 400 - y1 // 400


def weekday(year, month, day):
    return (_ordinal(year, month, day) + 6) % 7


def monthrange(year, month):
    if not 1 <= month <= 12:
        raise IllegalMonthError(month)
    return weekday(year, month, 1), _month_days(year, month)


def timegm(values):
    year, month, day, hour, minute, second = values[:6]
    days = _ordinal(year, month, 1) - 719163 + day - 1
    return ((days * 24 + hour) * 60 + minute) * 60 + second


class Calendar:
    def __init__(self, firstweekday=0):
        self.firstweekday = firstweekday % 7

    def getfirstweekday(self):
        return self.firstweekday

    def setfirstweekday(self, firstweekday):
        self.firstweekday = firstweekday % 7

    def iterweekdays(self):
        for i in range(7):
            yield (self.firstweekday + i) % 7

    def itermonthdays(self, year, month):
        first, days = monthrange(year, month)
        before = (first - self.firstweekday) % 7
        for _ in range(before):
            yield 0
        yield from range(1, days + 1)
        for _ in range(-(before + days) % 7):
            yield 0

    def itermonthdays2(self, year, month):
        for i, day in enumerate(self.itermonthdays(year, month)):
            yield day, (i + self.firstweekday) % 7

    def itermonthdates(self, year, month):
        from datetime import date, timedelta

        first, days = monthrange(year, month)
        before = (first - self.firstweekday) % 7
        day = date(year, month, 1) - timedelta(before)
        for _ in range(before + days + -(before + days) % 7):
            yield day
            day += timedelta(1)

    def _weeks(self, days):
        days = list(days)
        return [days[i:i + 7] for i in range(0, len(days), 7)]

    def monthdayscalendar(self, year, month):
        return self._weeks(self.itermonthdays(year, month))

    def monthdays2calendar(self, year, month):
        return self._weeks(self.itermonthdays2(year, month))

    def monthdatescalendar(self, year, month):
        return self._weeks(self.itermonthdates(year, month))


def _center(text, width):
    # str.center of CPython: the larger half of an odd rest goes left if the width is odd.
    rest = width - len(text)
    if rest <= 0:
        return text
    left = rest // 2 + (rest & width & 1)
    return " " * left + text + " " * (rest - left)


class TextCalendar(Calendar):
    def formatweekheader(self, width):
        names = day_name if width >= 9 else day_abbr
        return " ".join([_center(names[i][:width], width) for i in self.iterweekdays()])

    def formatmonthname(self, theyear, themonth, width, withyear=True):
        name = month_name[themonth]
        return _center(f"{name} {theyear}" if withyear else name, width)

    def formatweek(self, theweek, width):
        return " ".join([_center("%2d" % day if day else "", width) for day, _ in theweek])

    def formatmonth(self, theyear, themonth, w=0, l=0):
        w = max(2, w)
        l = max(1, l)
        lines = [self.formatmonthname(theyear, themonth, 7 * (w + 1) - 1).rstrip(),
                 self.formatweekheader(w).rstrip()]
        for week in self.monthdays2calendar(theyear, themonth):
            lines.append(self.formatweek(week, w).rstrip())
        return "".join([line + "\n" * l for line in lines])

    def prmonth(self, theyear, themonth, w=0, l=0):
        print(self.formatmonth(theyear, themonth, w, l), end="")


def setfirstweekday(firstweekday):
    if not 0 <= firstweekday <= 6:
        raise IllegalWeekdayError(firstweekday)
    _first[0] = firstweekday


def firstweekday():
    return _first[0]


def monthcalendar(year, month):
    return Calendar(_first[0]).monthdayscalendar(year, month)


def month(theyear, themonth, w=0, l=0):
    return TextCalendar(_first[0]).formatmonth(theyear, themonth, w, l)


def prmonth(theyear, themonth, w=0, l=0):
    print(month(theyear, themonth, w, l), end="")


def weekheader(width):
    return TextCalendar(_first[0]).formatweekheader(width)
