# unittest: cases, suites, loader and text runner. `_checks` has the assertions. Differences of
# sequences and texts are shown without the lines that mark single characters.
import sys
from unittest._checks import Checks


class SkipTest(Exception):
    pass


class _Stop(Exception):
    # Ends a test whose result is recorded already.
    pass


def _identity(thing):
    return thing


def skip(reason):
    def decorate(test):
        if not isinstance(test, type):
            def skipped(*args, **kwargs):
                raise SkipTest(reason)

            skipped.__name__ = test.__name__
            test = skipped
        test.__unittest_skip__ = True
        test.__unittest_skip_why__ = reason
        return test

    if callable(reason):
        test = reason
        reason = ""
        return decorate(test)
    return decorate


def skipIf(condition, reason):
    return skip(reason) if condition else _identity


def skipUnless(condition, reason):
    return _identity if condition else skip(reason)


def expectedFailure(test):
    test.__unittest_expecting_failure__ = True
    return test


def _class_name(cls):
    return f"{cls.__module__}.{cls.__qualname__}"


def _text_of(error):
    # The traceback without the calls in this package.
    from io import StringIO

    stream = StringIO()
    sys.print_exception(error, stream)
    lines = []
    own = False
    for line in stream.getvalue().split("\n"):
        if line.startswith('  File "'):
            own = line.startswith('  File "unittest/')
        elif not line.startswith("    "):
            own = False
        if not own:
            lines.append(line)
    return "\n".join(lines)


class _SubTest:
    def __init__(self, case, message, params):
        self.case = case
        self.message = message
        self.params = params

    def __enter__(self):
        case = self.case
        self.outer = case._subtest
        if self.outer is not None:
            params = dict(self.outer.params)
            params.update(self.params)
            self.params = params
        case._subtest = self

    def __exit__(self, kind, value, traceback):
        case = self.case
        case._subtest = self.outer
        if value is None:
            return False
        if isinstance(value, SkipTest):
            case._result.addSkip(self, str(value))
        elif not isinstance(value, Exception):
            return False
        else:
            case._result.addSubTest(case, self, (kind, value, traceback))
        case._failed = True
        return not (case._result.failfast and case._result.shouldStop)

    @property
    def failureException(self):
        return self.case.failureException

    def shortDescription(self):
        return self.case.shortDescription()

    def id(self):
        return str(self)

    def __str__(self):
        shown = "" if self.message is None else f" [{self.message}]"
        if self.params:
            pairs = [f"{name}={value!r}" for name, value in self.params.items()]
            shown += f" ({', '.join(pairs)})"
        return f"{self.case}{shown or ' (<subtest>)'}"


class TestCase(Checks):
    def __init__(self, methodName="runTest"):
        self._testMethodName = methodName
        self._cleanups = []
        self._subtest = None
        self._failed = False
        self._result = None
        self._testMethodDoc = None
        method = getattr(self, methodName, None)
        if method is None:
            if methodName != "runTest":
                raise ValueError(f"no such test method in {type(self)}: {methodName}")
        else:
            self._testMethodDoc = getattr(method, "__doc__", None)

    def setUp(self):
        pass

    def tearDown(self):
        pass

    @classmethod
    def setUpClass(cls):
        pass

    @classmethod
    def tearDownClass(cls):
        pass

    def addCleanup(self, function, *args, **kwargs):
        self._cleanups.append((function, args, kwargs))

    def enterContext(self, cm):
        result = cm.__enter__()
        self.addCleanup(cm.__exit__, None, None, None)
        return result

    def doCleanups(self):
        while self._cleanups:
            function, args, kwargs = self._cleanups.pop()
            function(*args, **kwargs)
        return True

    @classmethod
    def addClassCleanup(cls, function, *args, **kwargs):
        found = list(cls.__dict__.get("_class_cleanups", ()))
        found.append((function, args, kwargs))
        cls._class_cleanups = found

    @classmethod
    def doClassCleanups(cls):
        found = list(cls.__dict__.get("_class_cleanups", ()))
        while found:
            function, args, kwargs = found.pop()
            function(*args, **kwargs)

    def skipTest(self, reason):
        raise SkipTest(reason)

    def subTest(self, msg=None, **params):
        return _SubTest(self, msg, params)

    def countTestCases(self):
        return 1

    def defaultTestResult(self):
        return TestResult()

    def shortDescription(self):
        doc = self._testMethodDoc
        return doc.strip().split("\n")[0].strip() if doc else None

    def id(self):
        return f"{_class_name(type(self))}.{self._testMethodName}"

    def __str__(self):
        return f"{self._testMethodName} ({self.id()})"

    def __repr__(self):
        return f"<{_class_name(type(self))} testMethod={self._testMethodName}>"

    def __eq__(self, other):
        return type(self) is type(other) and self._testMethodName == other._testMethodName

    def __hash__(self):
        return hash(self._testMethodName)

    def __call__(self, *args, **kwargs):
        return self.run(*args, **kwargs)

    def debug(self):
        self.setUp()
        getattr(self, self._testMethodName)()
        self.tearDown()
        self.doCleanups()

    def _call(self, function):
        function()

    def _part(self, function, expecting):
        # Run a part of the test. Return whether it passed.
        result = self._result
        try:
            self._call(function)
            return True
        except SkipTest as error:
            result.addSkip(self, str(error))
        except _Stop:
            pass
        except Exception as error:
            info = (type(error), error, None)
            if expecting:
                result.addExpectedFailure(self, info)
            elif isinstance(error, self.failureException):
                result.addFailure(self, info)
            else:
                result.addError(self, info)
        self._failed = True
        return False

    def run(self, result=None):
        own = result is None
        if own:
            result = self.defaultTestResult()
        self._result = result
        self._failed = False
        method = getattr(self, self._testMethodName)
        result.startTest(self)
        for skipped in (type(self), method):
            if getattr(skipped, "__unittest_skip__", False):
                result.addSkip(self, getattr(skipped, "__unittest_skip_why__", ""))
                result.stopTest(self)
                return result
        expecting = getattr(method, "__unittest_expecting_failure__", False) or getattr(
            type(self), "__unittest_expecting_failure__", False)
        if self._part(self.setUp, False):
            passed = self._part(method, expecting)
            self._part(self.tearDown, False)
            if expecting and passed and not self._failed:
                result.addUnexpectedSuccess(self)
                self._failed = True
        while self._cleanups:
            function, args, kwargs = self._cleanups.pop()
            self._part(lambda: function(*args, **kwargs), False)
        if not self._failed:
            result.addSuccess(self)
        result.stopTest(self)
        return result


class FunctionTestCase(TestCase):
    def __init__(self, testFunc, setUp=None, tearDown=None, description=None):
        self.runTest = testFunc
        super().__init__()
        self._testMethodName = "runTest"
        self._function = testFunc
        self._testMethodDoc = description
        if setUp is not None:
            self.setUp = setUp
        if tearDown is not None:
            self.tearDown = tearDown

    def id(self):
        return self._function.__name__

    def __str__(self):
        return f"{_class_name(type(self))} ({self._function.__name__})"


class TestSuite:
    def __init__(self, tests=()):
        self._tests = []
        self.addTests(tests)

    def __iter__(self):
        return iter(self._tests)

    def __repr__(self):
        return f"<unittest.suite.TestSuite tests={self._tests!r}>"

    def countTestCases(self):
        return sum([test.countTestCases() for test in self._tests])

    def addTest(self, test):
        if not callable(test):
            raise TypeError(f"{test!r} is not callable")
        if isinstance(test, type) and issubclass(test, (TestCase, TestSuite)):
            raise TypeError("TestCases and TestSuites must be instantiated before passing them "
                            "to addTest()")
        self._tests.append(test)

    def addTests(self, tests):
        if isinstance(tests, str):
            raise TypeError("tests must be an iterable of tests, not a string")
        for test in tests:
            self.addTest(test)

    def __call__(self, *args, **kwargs):
        return self.run(*args, **kwargs)

    def _all(self):
        for test in self._tests:
            if isinstance(test, TestSuite):
                for each in test._all():
                    yield each
            else:
                yield test

    def run(self, result, debug=False):
        # Classes are set up before their first test and torn down after the last one in a row.
        current = None
        usable = True
        for test in self._all():
            if result.shouldStop:
                break
            cls = type(test)
            if cls is not current:
                _tear_down_class(current, usable, result)
                current = cls
                usable = _set_up_class(cls, result)
            if usable:
                test.run(result)
        _tear_down_class(current, usable, result)
        return result


class _ClassPart:
    failureException = AssertionError

    def __init__(self, name, cls):
        self.description = f"{name} ({_class_name(cls)})"

    def id(self):
        return self.description

    def shortDescription(self):
        return None

    def __str__(self):
        return self.description


def _class_part(name, function, cls, result):
    try:
        function()
        return True
    except SkipTest as error:
        result.addSkip(_ClassPart(name, cls), str(error))
    except Exception as error:
        result.addError(_ClassPart(name, cls), (type(error), error, None))
    return False


def _set_up_class(cls, result):
    if getattr(cls, "__unittest_skip__", False) or not hasattr(cls, "setUpClass"):
        return True
    passed = _class_part("setUpClass", cls.setUpClass, cls, result)
    if not passed:
        cls.doClassCleanups()
    return passed


def _tear_down_class(cls, usable, result):
    if cls is None or not usable or getattr(cls, "__unittest_skip__", False):
        return
    if hasattr(cls, "tearDownClass"):
        _class_part("tearDownClass", cls.tearDownClass, cls, result)
        cls.doClassCleanups()


class TestLoader:
    testMethodPrefix = "test"
    suiteClass = TestSuite

    def getTestCaseNames(self, testCaseClass):
        return sorted([
            name for name in dir(testCaseClass)
            if name.startswith(self.testMethodPrefix) and callable(getattr(testCaseClass, name))
        ])

    def loadTestsFromTestCase(self, testCaseClass):
        names = self.getTestCaseNames(testCaseClass)
        if not names and hasattr(testCaseClass, "runTest"):
            names = ["runTest"]
        return self.suiteClass([testCaseClass(name) for name in names])

    def loadTestsFromModule(self, module, pattern=None):
        tests = []
        for name in sorted(module.__dict__):
            found = getattr(module, name)
            if (isinstance(found, type) and issubclass(found, TestCase)
                    and found not in (TestCase, FunctionTestCase)
                    and found is not globals().get("IsolatedAsyncioTestCase")):
                tests.append(self.loadTestsFromTestCase(found))
        load = module.__dict__.get("load_tests")
        if load is not None:
            return load(self, self.suiteClass(tests), pattern)
        return self.suiteClass(tests)

    def loadTestsFromName(self, name, module=None):
        parts = name.split(".")
        if module is None:
            module = __import__(parts.pop(0))
        found = module
        for part in parts:
            parent = found
            found = getattr(found, part)
        if isinstance(found, type) and issubclass(found, TestCase):
            return self.loadTestsFromTestCase(found)
        if isinstance(parent, type) and issubclass(parent, TestCase):
            return self.suiteClass([parent(parts[-1])])
        if isinstance(found, TestSuite):
            return found
        made = found()
        return made if isinstance(made, TestSuite) else self.suiteClass([made])

    def loadTestsFromNames(self, names, module=None):
        return self.suiteClass([self.loadTestsFromName(name, module) for name in names])


defaultTestLoader = TestLoader()


class TestResult:
    def __init__(self, stream=None, descriptions=None, verbosity=None):
        self.failfast = False
        self.failures = []
        self.errors = []
        self.testsRun = 0
        self.skipped = []
        self.expectedFailures = []
        self.unexpectedSuccesses = []
        self.shouldStop = False
        self.buffer = False

    def startTestRun(self):
        pass

    def stopTestRun(self):
        pass

    def startTest(self, test):
        self.testsRun += 1

    def stopTest(self, test):
        pass

    def stop(self):
        self.shouldStop = True

    def _note(self, found, test, err):
        found.append((test, _text_of(err[1])))
        if self.failfast:
            self.stop()

    def addError(self, test, err):
        self._note(self.errors, test, err)

    def addFailure(self, test, err):
        self._note(self.failures, test, err)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            failed = issubclass(err[0], test.failureException)
            self._note(self.failures if failed else self.errors, subtest, err)

    def addSuccess(self, test):
        pass

    def addSkip(self, test, reason):
        self.skipped.append((test, reason))

    def addExpectedFailure(self, test, err):
        self.expectedFailures.append((test, _text_of(err[1])))

    def addUnexpectedSuccess(self, test):
        self.unexpectedSuccesses.append(test)

    def wasSuccessful(self):
        return not (self.failures or self.errors or self.unexpectedSuccesses)

    def __repr__(self):
        return (f"<{_class_name(type(self))} run={self.testsRun} errors={len(self.errors)} "
                f"failures={len(self.failures)}>")


class TextTestResult(TestResult):
    separator1 = "=" * 70
    separator2 = "-" * 70

    def __init__(self, stream=None, descriptions=None, verbosity=1, *, durations=None):
        super().__init__()
        self.stream = stream
        self.descriptions = descriptions
        self.showAll = verbosity > 1
        self.dots = verbosity == 1

    def getDescription(self, test):
        first = test.shortDescription()
        return f"{test}\n{first}" if self.descriptions and first else str(test)

    def _show(self, word, letter):
        if self.showAll:
            self.stream.write(word + "\n")
        elif self.dots:
            self.stream.write(letter)

    def _show_class_part(self, test):
        if self.showAll and isinstance(test, _ClassPart):
            self.stream.write(f"{test} ... ")

    def startTest(self, test):
        super().startTest(test)
        if self.showAll:
            self.stream.write(self.getDescription(test) + " ... ")
            self._new_line = False

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        failed = issubclass(err[0], test.failureException)
        if self.showAll:
            if not self._new_line:
                self.stream.write("\n")
                self._new_line = True
            self.stream.write(f"  {self.getDescription(subtest)} ... ")
        self._show("FAIL" if failed else "ERROR", "F" if failed else "E")

    def addSuccess(self, test):
        self._show("ok", ".")

    def addError(self, test, err):
        super().addError(test, err)
        self._show_class_part(test)
        self._show("ERROR", "E")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._show("FAIL", "F")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._show_class_part(test)
        self._show(f"skipped {reason!r}", "s")

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self._show("expected failure", "x")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self._show("unexpected success", "u")

    def printErrors(self):
        write = self.stream.write
        if self.dots or self.showAll:
            write("\n")
        for flavour, found in (("ERROR", self.errors), ("FAIL", self.failures)):
            for test, text in found:
                write(f"{self.separator1}\n{flavour}: {self.getDescription(test)}\n")
                write(f"{self.separator2}\n{text}\n")
        if self.unexpectedSuccesses:
            write(self.separator1 + "\n")
            for test in self.unexpectedSuccesses:
                write(f"UNEXPECTED SUCCESS: {self.getDescription(test)}\n")


class TextTestRunner:
    resultclass = TextTestResult

    def __init__(self, stream=None, descriptions=True, verbosity=1, failfast=False, buffer=False,
                 resultclass=None, warnings=None, *, tb_locals=False, durations=None):
        self.stream = sys.stderr if stream is None else stream
        self.descriptions = descriptions
        self.verbosity = verbosity
        self.failfast = failfast
        if resultclass is not None:
            self.resultclass = resultclass

    def _makeResult(self):
        return self.resultclass(self.stream, self.descriptions, self.verbosity)

    def run(self, test):
        import time

        result = self._makeResult()
        result.failfast = self.failfast
        began = time.time()
        result.startTestRun()
        test.run(result)
        result.stopTestRun()
        seconds = time.time() - began
        if hasattr(result, "printErrors"):
            result.printErrors()
        write = self.stream.write
        ran = result.testsRun
        write(f"{'-' * 70}\nRan {ran} test{'' if ran == 1 else 's'} in {seconds:.3f}s\n\n")
        counts = []
        successful = result.wasSuccessful()
        if not successful:
            for name, found in (("failures", result.failures), ("errors", result.errors)):
                if found:
                    counts.append(f"{name}={len(found)}")
        for name, found in (
            ("skipped", result.skipped), ("expected failures", result.expectedFailures),
            ("unexpected successes", result.unexpectedSuccesses),
        ):
            if found:
                counts.append(f"{name}={len(found)}")
        # CPython 3.12 and later tell a run without tests from a run that passed.
        end = "OK" if successful and (ran or counts) else "NO TESTS RAN" if successful else "FAILED"
        write(end + (f" ({', '.join(counts)})" if counts else "") + "\n")
        return result


class TestProgram:
    def __init__(self, module="__main__", defaultTest=None, argv=None, testRunner=None,
                 testLoader=defaultTestLoader, exit=True, verbosity=1, failfast=None,
                 catchbreak=None, buffer=None, warnings=None, *, tb_locals=False,
                 durations=None):
        self.module = __import__(module) if isinstance(module, str) else module
        argv = sys.argv if argv is None else argv
        for option in argv[1:]:
            if option in ("-v", "--verbose"):
                verbosity = 2
            elif option in ("-q", "--quiet"):
                verbosity = 0
            elif option in ("-f", "--failfast"):
                failfast = True
            elif defaultTest is None:
                defaultTest = option
        if defaultTest is None:
            self.test = testLoader.loadTestsFromModule(self.module)
        elif isinstance(defaultTest, str):
            self.test = testLoader.loadTestsFromName(defaultTest, self.module)
        else:
            self.test = testLoader.loadTestsFromNames(defaultTest, self.module)
        if testRunner is None:
            testRunner = TextTestRunner
        if isinstance(testRunner, type):
            testRunner = testRunner(verbosity=verbosity, failfast=bool(failfast))
        self.result = testRunner.run(self.test)
        if exit:
            sys.exit(not self.result.wasSuccessful())


main = TestProgram


def __getattr__(name):
    if name == "IsolatedAsyncioTestCase":

        class IsolatedAsyncioTestCase(TestCase):
            __qualname__ = "IsolatedAsyncioTestCase"

            async def asyncSetUp(self):
                pass

            async def asyncTearDown(self):
                pass

            async def _all(self, function):
                await self.asyncSetUp()
                try:
                    awaited = function()
                    if awaited is not None:
                        await awaited
                finally:
                    await self.asyncTearDown()

            def _call(self, function):
                if function == self.setUp or function == self.tearDown:
                    function()
                else:
                    import asyncio

                    asyncio.run(self._all(function))

        globals()[name] = IsolatedAsyncioTestCase
        return IsolatedAsyncioTestCase
    if name == "__all__":
        return [
            "FunctionTestCase", "IsolatedAsyncioTestCase", "SkipTest", "TestCase", "TestLoader",
            "TestResult", "TestSuite", "TextTestResult", "TextTestRunner", "defaultTestLoader",
            "expectedFailure", "main", "skip", "skipIf", "skipUnless",
        ]
    raise AttributeError(f"module 'unittest' has no attribute '{name}'")
