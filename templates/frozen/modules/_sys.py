# Names of CPython's `sys` that the interpreter's own module lacks: its attributes are looked up here
# (templates/port/systemnames.c).
from collections import namedtuple

maxunicode = 0x10FFFF
hexversion = 0x030D00F0
api_version = 1013
executable = ""
prefix = exec_prefix = base_prefix = "/usr"
copyright = ""
float_repr_style = "short"
orig_argv = []
warnoptions = []
dont_write_bytecode = True
_recursion_limit = 1000
_int_digits = 4300

float_info = namedtuple(
    "float_info",
    ("max", "max_exp", "max_10_exp", "min", "min_exp", "min_10_exp", "dig", "mant_dig", "epsilon",
     "radix", "rounds"),
)(1.7976931348623157e308, 1024, 308, 2.2250738585072014e-308, -1021, -307, 15, 53,
  2.220446049250313e-16, 2, 1)
int_info = namedtuple(
    "int_info",
    ("bits_per_digit", "sizeof_digit", "default_max_str_digits", "str_digits_check_threshold"),
)(30, 4, 4300, 640)
hash_info = namedtuple(
    "hash_info", ("width", "modulus", "inf", "nan", "imag")
)(64, 2305843009213693951, 314159, 0, 1000003)


def getrecursionlimit():
    return _recursion_limit


def setrecursionlimit(limit):
    # The frame stack and the C stack bound the depth of calls, whatever the limit.
    global _recursion_limit
    if not isinstance(limit, int):
        raise TypeError(f"'{type(limit).__name__}' object cannot be interpreted as an integer")
    if limit < 1:
        raise ValueError("recursion limit must be greater or equal than 1")
    _recursion_limit = limit


def set_int_max_str_digits(maxdigits):
    global _int_digits
    if not isinstance(maxdigits, int):
        raise TypeError(
            f"'{type(maxdigits).__name__}' object cannot be interpreted as an integer")
    if maxdigits and maxdigits < 640:
        raise ValueError("maxdigits must be 0 or larger than 640")
    _int_digits = maxdigits


def get_int_max_str_digits():
    return _int_digits


def getdefaultencoding():
    return "utf-8"


getfilesystemencoding = getdefaultencoding


def getfilesystemencodeerrors():
    return "surrogateescape"


def getswitchinterval():
    return 0.005


def setswitchinterval(interval):
    pass


def gettrace():
    return None


getprofile = gettrace


def is_finalizing():
    return False
