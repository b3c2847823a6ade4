# The part of CPython's unittest that upstream's tests use. main() prints a summary that upstream's
# test runner parses: a rule of 70 dashes, "Ran N tests", an empty line, and "OK" or "FAILED (...)".

import sys


class SkipTest(Exception):
    pass


class _Raises:
    def __init__(self, expected):
        self.expected = expected
        self.exception = None

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        if kind is None:
            raise AssertionError("%r not raised" % (self.expected,))
        self.exception = value
        return issubclass(kind, self.expected)


class _SubTest:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        return False


def _check(condition, given, default):
    if not condition:
        raise AssertionError(given or default)


class TestCase:
    def setUp(self):
        pass

    def tearDown(self):
        pass

    def skipTest(self, reason):
        raise SkipTest(reason)

    def subTest(self, *args, **kwargs):
        return _SubTest()

    def fail(self, msg=None):
        raise AssertionError(msg or "failed")

    def assertTrue(self, value, msg=None):
        _check(value, msg, "%r is not true" % (value,))

    def assertFalse(self, value, msg=None):
        _check(not value, msg, "%r is not false" % (value,))

    def assertEqual(self, first, second, msg=None):
        _check(first == second, msg, "%r != %r" % (first, second))

    def assertNotEqual(self, first, second, msg=None):
        _check(first != second, msg, "%r == %r" % (first, second))

    def assertLess(self, first, second, msg=None):
        _check(first < second, msg, "%r is not less than %r" % (first, second))

    def assertLessEqual(self, first, second, msg=None):
        _check(first <= second, msg, "%r is greater than %r" % (first, second))

    def assertGreater(self, first, second, msg=None):
        _check(first > second, msg, "%r is not greater than %r" % (first, second))

    def assertGreaterEqual(self, first, second, msg=None):
        _check(first >= second, msg, "%r is less than %r" % (first, second))

    def assertAlmostEqual(self, first, second, places=7, msg=None, delta=None):
        gap = abs(first - second)
        near = first == second or (gap <= delta if delta is not None else round(gap, places) == 0)
        _check(near, msg, "%r is not near %r" % (first, second))

    def assertIs(self, first, second, msg=None):
        _check(first is second, msg, "%r is not %r" % (first, second))

    def assertIsNot(self, first, second, msg=None):
        _check(first is not second, msg, "%r is %r" % (first, second))

    def assertIsNone(self, value, msg=None):
        _check(value is None, msg, "%r is not None" % (value,))

    def assertIsNotNone(self, value, msg=None):
        _check(value is not None, msg, "None is not wanted here")

    def assertIn(self, item, container, msg=None):
        _check(item in container, msg, "%r is not in %r" % (item, container))

    def assertNotIn(self, item, container, msg=None):
        _check(item not in container, msg, "%r is in %r" % (item, container))

    def assertIsInstance(self, value, kind, msg=None):
        _check(isinstance(value, kind), msg, "%r is no %r" % (value, kind))

    def assertRaises(self, expected, function=None, *args, **kwargs):
        context = _Raises(expected)
        if function is None:
            return context
        with context:
            function(*args, **kwargs)
        return None


def skip(reason):
    def decorate(test):
        if isinstance(test, type):
            test.__unittest_skip__ = reason
            return test

        def skipped(*args, **kwargs):
            raise SkipTest(reason)

        return skipped

    return decorate


def skipIf(condition, reason):
    return skip(reason) if condition else lambda test: test


def skipUnless(condition, reason):
    return skipIf(not condition, reason)


class _Counts:
    ran = 0
    failures = 0
    errors = 0
    skipped = 0


def _run_method(case, name, counts):
    print("%s (%s) ..." % (name, type(case).__name__), end="")
    counts.ran += 1
    try:
        reason = getattr(case, "__unittest_skip__", None)
        if reason is not None:
            raise SkipTest(reason)
        case.setUp()
        try:
            getattr(case, name)()
        finally:
            case.tearDown()
        print(" ok")
    except SkipTest as skipped:
        counts.skipped += 1
        print(" skipped:", skipped.args[0])
    except AssertionError as failure:
        counts.failures += 1
        print(" FAIL")
        _print_exception(failure)
    except Exception as error:
        counts.errors += 1
        print(" ERROR")
        _print_exception(error)


def _print_exception(error):
    if hasattr(sys, "print_exception"):
        sys.print_exception(error)
    else:
        print(repr(error))


def _run_class(kind, counts):
    case = kind()
    set_up = getattr(kind, "setUpClass", None)
    tear_down = getattr(kind, "tearDownClass", None)
    if set_up is not None:
        set_up()
    for name in sorted(dir(case)):
        if name.startswith("test") and callable(getattr(case, name)):
            _run_method(case, name, counts)
    if tear_down is not None:
        tear_down()


def main(module="__main__"):
    members = __import__(module) if isinstance(module, str) else module
    counts = _Counts()
    for name in sorted(dir(members)):
        kind = getattr(members, name)
        if isinstance(kind, type) and issubclass(kind, TestCase) and kind is not TestCase:
            _run_class(kind, counts)
    print("-" * 70)
    print("Ran %d tests\n" % counts.ran)
    if counts.failures or counts.errors:
        print("FAILED (failures=%d, errors=%d)" % (counts.failures, counts.errors))
    elif counts.skipped:
        print("OK (skipped=%d)" % counts.skipped)
    else:
        print("OK")
