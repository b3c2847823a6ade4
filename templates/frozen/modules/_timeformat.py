# strftime and strptime of datetime and time, in the C locale.
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September",
           "October", "November", "December")


def _date_of(d):
    # (year, month, day, weekday, day of the year)
    if not hasattr(d, "year"):
        return 1900, 1, 1, 0, 1
    import datetime

    return d.year, d.month, d.day, d.weekday(), datetime._before_month(d.year, d.month) + d.day


def write(d, format):
    year, month, day, weekday, yearday = _date_of(d)
    hour = getattr(d, "hour", 0)
    minute = getattr(d, "minute", 0)
    second = getattr(d, "second", 0)
    parts = []
    i = 0
    while i < len(format):
        c = format[i]
        i += 1
        if c != "%" or i == len(format):
            parts.append(c)
            continue
        c = format[i]
        i += 1
        if c == "-" and i < len(format):
            text = write(d, "%" + format[i]).lstrip("0 ") or "0"
            i += 1
        elif c == "Y":
            text = str(year)
        elif c == "m":
            text = f"{month:02d}"
        elif c == "d":
            text = f"{day:02d}"
        elif c == "H":
            text = f"{hour:02d}"
        elif c == "M":
            text = f"{minute:02d}"
        elif c == "S":
            text = f"{second:02d}"
        elif c == "f":
            text = f"{getattr(d, 'microsecond', 0):06d}"
        elif c == "y":
            text = f"{year % 100:02d}"
        elif c == "C":
            text = f"{year // 100:02d}"
        elif c == "B":
            text = _MONTHS[month - 1]
        elif c in ("b", "h"):
            text = _MONTHS[month - 1][:3]
        elif c == "A":
            text = _DAYS[weekday]
        elif c == "a":
            text = _DAYS[weekday][:3]
        elif c == "I":
            text = f"{hour % 12 or 12:02d}"
        elif c == "l":
            text = f"{hour % 12 or 12:2d}"
        elif c == "k":
            text = f"{hour:2d}"
        elif c == "p":
            text = "PM" if hour >= 12 else "AM"
        elif c == "j":
            text = f"{yearday:03d}"
        elif c == "e":
            text = f"{day:2d}"
        elif c == "w":
            text = str((weekday + 1) % 7)
        elif c == "u":
            text = str(weekday + 1)
        elif c == "U":
            text = f"{(yearday + 6 - (weekday + 1) % 7) // 7:02d}"
        elif c == "W":
            text = f"{(yearday + 6 - weekday) // 7:02d}"
        elif c in ("G", "V"):
            from datetime import _iso, _ordinal

            iso = _iso(_ordinal(year, month, day))
            text = str(iso[0]) if c == "G" else f"{iso[1]:02d}"
        elif c == "z":
            text = d._zone("") if hasattr(d, "_zone") else ""
        elif c == "Z":
            text = (d.tzname() or "") if hasattr(d, "tzname") else ""
        elif c == "s":
            text = str(int(d.timestamp()))
        elif c == "%":
            text = "%"
        elif c == "n":
            text = "\n"
        elif c == "t":
            text = "\t"
        elif c in "cxXDFTRr":
            text = write(d, {"c": "%a %b %e %H:%M:%S %Y", "x": "%m/%d/%y", "X": "%H:%M:%S",
                             "D": "%m/%d/%y", "F": "%Y-%m-%d", "T": "%H:%M:%S", "R": "%H:%M",
                             "r": "%I:%M:%S %p"}[c])
        else:
            text = "%" + c
        parts.append(text)
    return "".join(parts)


def read(text, format):
    # year, month, day, hour, minute, second, microsecond, time zone
    import datetime

    def fail():
        raise ValueError(f"time data {text!r} does not match format {format!r}")

    def number(most):
        nonlocal place
        end = place
        while end < len(text) and end < place + most and "0" <= text[end] <= "9":
            end += 1
        if end == place:
            fail()
        value = int(text[place:end])
        place = end
        return value

    def name(names, size=None):
        nonlocal place
        best = -1
        for i, word in enumerate(names):
            word = word[:size] if size else word
            if text[place:place + len(word)].lower() == word.lower():
                best = i
                break
        if best < 0:
            fail()
        place += len(word)
        return best

    for short, full in (("%c", "%a %b %d %H:%M:%S %Y"), ("%x", "%m/%d/%y"), ("%X", "%H:%M:%S"),
                        ("%D", "%m/%d/%y"), ("%F", "%Y-%m-%d"), ("%T", "%H:%M:%S"),
                        ("%R", "%H:%M")):
        if short in format:
            return read(text, format.replace(short, full))
    year, month, day, hour, minute, second, us = 1900, 1, 1, 0, 0, 0, 0
    zone = half = yearday = weekday = week = iso_year = iso_week = None
    known = False  # whether there is a year
    place = i = 0
    while i < len(format):
        c = format[i]
        i += 1
        if c in " \t\n":
            start = place
            while place < len(text) and text[place] in " \t\n\r\f\v":
                place += 1
            if place == start:
                fail()
            while i < len(format) and format[i] in " \t\n":
                i += 1
            continue
        if c != "%":
            if text[place:place + 1].lower() != c.lower():
                fail()
            place += 1
            continue
        if i == len(format):
            raise ValueError(f"stray % in format {format!r}")
        c = format[i]
        i += 1
        if c == "Y":
            start = place
            year = number(4)
            if place - start != 4:
                fail()
            known = True
        elif c == "G":
            start = place
            iso_year = number(4)
            if place - start != 4:
                fail()
        elif c == "V":
            iso_week = number(2)
            if not 1 <= iso_week <= 53:
                fail()
        elif c in ("U", "W"):
            week = number(2)
            if week > 53:
                fail()
            monday = c == "W"
        elif c == "u":
            weekday = number(1) - 1
            if not 0 <= weekday <= 6:
                fail()
        elif c == "m":
            month = number(2)
            if not 1 <= month <= 12:
                fail()
        elif c == "d" or c == "e":
            day = number(2)
            if not 1 <= day <= 31:
                fail()
        elif c == "H":
            hour = number(2)
            if hour > 23:
                fail()
        elif c == "I":
            hour = number(2)
            if not 1 <= hour <= 12:
                fail()
        elif c == "M":
            minute = number(2)
            if minute > 59:
                fail()
        elif c == "S":
            second = number(2)
            if second > 61:
                fail()
        elif c == "f":
            start = place
            us = number(6) * 10 ** (6 - (place - start))
        elif c == "y":
            year = number(2)
            year += 2000 if year < 69 else 1900
            known = True
        elif c == "j":
            yearday = number(3)
            if yearday > 366:  # the last digit is no part of the number
                yearday //= 10
                place -= 1
            if not yearday:
                fail()
        elif c == "B":
            month = name(_MONTHS) + 1
        elif c in ("b", "h"):
            month = name(_MONTHS, 3) + 1
        elif c == "A":
            weekday = name(_DAYS)
        elif c == "a":
            weekday = name(_DAYS, 3)
        elif c == "p":
            half = name(("am", "pm"))
        elif c == "w":
            weekday = (number(1) + 6) % 7
        elif c == "z":
            if text[place:place + 1] == "Z":
                zone = datetime.timezone.utc
                place += 1
            else:
                end = place + 1
                while end < len(text) and text[end] in "0123456789:":
                    end += 1
                if text[place:place + 1] not in ("+", "-"):
                    fail()
                zone = datetime._parse_time("00" + text[place:end])[4]
                place = end
        elif c == "Z":
            for word in ("UTC", "GMT"):
                if text[place:place + 3].upper() == word:
                    place += 3
                    break
            else:
                fail()
        elif c == "%":
            if text[place:place + 1] != "%":
                fail()
            place += 1
        else:
            raise ValueError(f"{c!r} is a bad directive in format {format!r}")
    if place < len(text):
        raise ValueError(f"unconverted data remains: {text[place:]}")
    if half is not None:
        hour = hour % 12 + 12 * half
    if iso_year is not None or iso_week is not None:
        _check_iso(known, iso_year, iso_week, weekday, yearday)
        start = datetime._ordinal(iso_year, 1, 4)  # a day of the first week
        start -= (start + 6) % 7
        found = datetime._from_ordinal(start + 7 * (iso_week - 1) + weekday)
        if iso_week == 53 and datetime._iso(datetime._ordinal(*found))[0] != iso_year:
            raise ValueError(f"Invalid week: {iso_week}")
        year, month, day = found
    elif yearday is None and week is not None and weekday is not None:
        first = (datetime._ordinal(year, 1, 1) + 6 + (not monday)) % 7
        days = (weekday + (not monday)) % 7 - first + 7 * week
        if week and not first:
            days -= 7
        year, month, day = datetime._from_ordinal(datetime._ordinal(year, 1, 1) + days)
    if yearday is not None:
        year, month, day = datetime._from_ordinal(datetime._ordinal(year, 1, 1) + yearday - 1)
    return year, month, day, hour, minute, second, us, zone


def _check_iso(known, year, week, weekday, yearday):
    days = "a weekday directive ('%A', '%a', '%w', or '%u')."
    if year is not None:
        if yearday is not None:
            raise ValueError("Day of the year directive '%j' is not compatible with ISO year "
                             "directive '%G'. Use '%Y' instead.")
        if week is None or weekday is None:
            raise ValueError("ISO year directive '%G' must be used with the ISO week directive "
                             "'%V' and " + days)
    elif not known or weekday is None:
        raise ValueError("ISO week directive '%V' must be used with the ISO year directive '%G' "
                         "and " + days)
    else:
        raise ValueError("ISO week directive '%V' is incompatible with the year directive '%Y'. "
                         "Use the ISO year '%G' instead.")
