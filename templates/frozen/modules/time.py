# The C module, and names of CPython's that it lacks, each made when a program first asks for it.
import utime

timezone = altzone = daylight = 0
tzname = ("UTC", "UTC")
_LACKING = (
    "perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "process_time",
    "process_time_ns", "thread_time", "struct_time", "gmtime", "localtime", "mktime", "asctime",
    "ctime", "strftime", "strptime",
)


def __getattr__(name):
    if name == "__all__":
        return [name for name in dir(utime) if name[0] != "_"] + list(_LACKING)
    if name in ("perf_counter", "monotonic", "process_time", "thread_time"):
        value = _seconds
    elif name in ("perf_counter_ns", "monotonic_ns", "process_time_ns"):
        value = utime.time_ns
    elif name in _LACKING:
        import _calendartime

        value = getattr(_calendartime, name)
    elif hasattr(utime, name):
        value = getattr(utime, name)
    else:
        raise AttributeError(f"module 'time' has no attribute '{name}'")
    globals()[name] = value
    return value


def _seconds():
    return utime.time_ns() / 1000000000
