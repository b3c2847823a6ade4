import io
import re
import unittest


class Basics(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = [1, 2, 3]
        print("set up class")

    @classmethod
    def tearDownClass(cls):
        print("tear down class")

    def setUp(self):
        self.value = 5
        self.addCleanup(print, "cleanup", self._testMethodName)

    def tearDown(self):
        print("tear down")

    def test_passes(self):
        self.assertEqual(self.value, 5)
        self.assertTrue([0])
        self.assertFalse("")
        self.assertIn(2, self.shared)
        self.assertNotIn(7, self.shared)
        self.assertIs(None, None)
        self.assertIsNot([], [])
        self.assertIsNone(None)
        self.assertIsNotNone(0)
        self.assertIsInstance(1, int)
        self.assertNotIsInstance("1", (int, float))
        self.assertAlmostEqual(0.1 + 0.2, 0.3)
        self.assertNotAlmostEqual(0.1, 0.2, places=1)
        self.assertGreater(2, 1)
        self.assertGreaterEqual(2, 2)
        self.assertLess(1, 2)
        self.assertLessEqual(2, 2)
        self.assertRegex("abc123", r"\d+")
        self.assertNotRegex("abc", r"\d")
        self.assertCountEqual([1, 2, 2, 3], [3, 2, 1, 2])
        self.assertListEqual([1], [1])
        self.assertTupleEqual((1,), (1,))
        self.assertDictEqual({1: 2}, {1: 2})
        self.assertSetEqual({1}, {1})
        self.assertMultiLineEqual("a\nb", "a\nb")
        self.assertSequenceEqual([1, 2], (1, 2))

    def test_raises(self):
        with self.assertRaises(ZeroDivisionError):
            1 / 0
        with self.assertRaises((KeyError, ValueError)) as context:
            int("x")
        print(type(context.exception).__name__)
        self.assertRaises(ValueError, int, "y")
        with self.assertRaisesRegex(ValueError, "invalid .*'z'"):
            raise ValueError("invalid text 'z'")
        self.assertRaisesRegex(KeyError, "7", {}.__getitem__, 7)

    def test_fails(self):
        self.assertEqual(1, 2, "numbers")

    def test_error(self):
        raise RuntimeError("broken")

    def test_nothing_raised(self):
        with self.assertRaises(ValueError):
            pass

    @unittest.skip("not today")
    def test_skipped(self):
        print("never")

    @unittest.skipIf(True, "condition")
    def test_skipped_if(self):
        print("never")

    @unittest.skipUnless(True, "condition")
    def test_not_skipped(self):
        self.assertTrue(True)

    def test_skips_itself(self):
        self.skipTest("inside")

    @unittest.expectedFailure
    def test_expected(self):
        self.fail("as expected")

    @unittest.expectedFailure
    def test_unexpected(self):
        pass

    def test_parts(self):
        for i in range(4):
            with self.subTest("half", i=i):
                self.assertEqual(i % 2, 0)


@unittest.skip("whole class")
class Skipped(unittest.TestCase):
    def test_never(self):
        print("never")


class NoSetUp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise ValueError("no class")

    def test_never(self):
        print("never")


class BrokenSetUp(unittest.TestCase):
    def setUp(self):
        raise OSError("no test")

    def test_never(self):
        print("never")


class Failure(Exception):
    pass


def fail():
    raise Failure("own message")


def without_positions(text):
    text = re.sub(r'(  File ".*\n(    .*\n)*)+', "", text)
    return re.sub(r"in \d+\.\d+s", "in TIME", text)


loader = unittest.TestLoader()
print(loader.getTestCaseNames(Basics))
for verbosity in (0, 1, 2):
    suite = unittest.TestSuite()
    for case in (Basics, Skipped, NoSetUp, BrokenSetUp):
        suite.addTests(loader.loadTestsFromTestCase(case))
    print(suite.countTestCases())
    stream = io.StringIO()
    result = unittest.TextTestRunner(stream=stream, verbosity=verbosity).run(suite)
    print(without_positions(stream.getvalue()))
    print(result.testsRun, len(result.failures), len(result.errors), result.wasSuccessful())
    print([reason for _, reason in result.skipped])

MESSAGES = [
    lambda case: case.assertEqual("a", "b!"),
    lambda case: case.assertEqual(1, "1"),
    lambda case: case.assertNotEqual(1, 1.0),
    lambda case: case.assertTrue(0),
    lambda case: case.assertFalse([1], "message"),
    lambda case: case.assertIs(1, 2),
    lambda case: case.assertIsNone(3),
    lambda case: case.assertIsNotNone(None),
    lambda case: case.assertIn(1, [2]),
    lambda case: case.assertNotIn(1, [1]),
    lambda case: case.assertIsInstance(1, str),
    lambda case: case.assertLess(2, 1),
    lambda case: case.assertLessEqual(2, 1),
    lambda case: case.assertGreater(1, 2),
    lambda case: case.assertGreaterEqual(1, 2),
    lambda case: case.assertAlmostEqual(1.0, 1.1),
    lambda case: case.assertAlmostEqual(1, 2, delta=0.5),
    lambda case: case.assertNotAlmostEqual(1, 1),
    lambda case: case.assertRegex("abc", r"\d"),
    lambda case: case.assertNotRegex("a1", r"\d"),
    lambda case: case.assertRaises(ValueError, lambda: None),
    lambda case: case.assertRaisesRegex(Failure, "abc", fail),
    lambda case: case.fail(),
    lambda case: case.fail("own"),
]
case = Basics("test_passes")
print(case, repr(case), case.id())
for check in MESSAGES:
    try:
        check(case)
    except AssertionError as error:
        print(str(error).split("\n")[0])

for check, first in [
    (case.assertEqual, ([1, 2], [1, 3])),
    (case.assertEqual, ((1,), (1, 2, 3))),
    (case.assertSetEqual, ({1}, {2})),
    (case.assertCountEqual, ([1, 1], [1])),
]:
    try:
        check(*first)
    except AssertionError as error:
        print(str(error).split("\n\n- ")[0].rstrip())

stream = io.StringIO()
suite = unittest.TestSuite([Basics("test_passes"), Basics("test_fails")])
program = unittest.TextTestRunner(stream=stream, failfast=True).run(suite)
print(program.wasSuccessful())


class Asynchronous(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.ready = True

    async def test_await(self):
        self.assertTrue(self.ready)


result = unittest.TextTestRunner(stream=io.StringIO()).run(
    loader.loadTestsFromTestCase(Asynchronous))
print(result.wasSuccessful(), result.testsRun)
