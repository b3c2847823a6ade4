# The assertions of unittest.TestCase.


class _Raises:
    def __init__(self, case, expected, pattern=None, message=None):
        self._case = case
        self.expected = expected
        self._pattern = pattern
        self._message = message
        self._function = None
        self.exception = None

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        if kind is None:
            names = self.expected if isinstance(self.expected, tuple) else (self.expected,)
            names = [each.__name__ for each in names]
            shown = names[0] if not isinstance(self.expected, tuple) else str(tuple(names))
            if self._function is not None:
                name = getattr(self._function, "__name__", None) or repr(self._function)
                shown = f"{shown} not raised by {name}"
            else:
                shown += " not raised"
            self._case._fail(shown, self._message)
        if not issubclass(kind, self.expected):
            return False
        self.exception = value
        if self._pattern is not None:
            import re

            pattern = self._pattern
            if isinstance(pattern, (str, bytes)):
                pattern = re.compile(pattern)
            if pattern.search(str(value)) is None:
                self._case._fail(
                    f'"{pattern.pattern}" does not match "{value}"', self._message)
        return True


class _Warns:
    def __init__(self, case, expected, pattern, message):
        self._case = case
        self.expected = expected
        self._pattern = pattern
        self._message = message

    def __enter__(self):
        import warnings

        self._catch = warnings.catch_warnings(record=True)
        self.warnings = self._catch.__enter__()
        warnings.simplefilter("always")
        return self

    def __exit__(self, kind, value, traceback):
        self._catch.__exit__(kind, value, traceback)
        if kind is not None:
            return False
        for found in self.warnings:
            if issubclass(found.category, self.expected):
                self.warning = found.message
                if self._pattern is None:
                    return False
                import re

                if re.search(self._pattern, str(found.message)):
                    return False
        self._case._fail(f"{self.expected.__name__} not triggered", self._message)


class Checks:
    failureException = AssertionError
    longMessage = True
    maxDiff = 640

    def _fail(self, standard, msg=None):
        raise self.failureException(self._formatMessage(msg, standard))

    def _formatMessage(self, msg, standardMsg):
        if msg is None:
            return standardMsg
        return f"{standardMsg} : {msg}" if self.longMessage else msg

    def fail(self, msg=None):
        raise self.failureException(msg)

    def assertTrue(self, expr, msg=None):
        if not expr:
            self._fail(f"{expr!r} is not true", msg)

    def assertFalse(self, expr, msg=None):
        if expr:
            self._fail(f"{expr!r} is not false", msg)

    def addTypeEqualityFunc(self, typeobj, function):
        own = dict(self.__dict__.get("_equalities", {}))
        own[typeobj] = function
        self._equalities = own

    def assertEqual(self, first, second, msg=None):
        kind = type(first)
        if kind is type(second):
            own = self.__dict__.get("_equalities")
            if own and kind in own:
                function = own[kind]
                if isinstance(function, str):
                    function = getattr(self, function)
                return function(first, second, msg=msg)
            if first == second:
                return
            if kind is list or kind is tuple:
                self.assertSequenceEqual(first, second, msg, kind)
            elif kind is dict:
                self.assertDictEqual(first, second, msg)
            elif kind is set or kind is frozenset:
                self.assertSetEqual(first, second, msg)
        if not first == second:
            self._fail(f"{first!r} != {second!r}", msg)

    def assertNotEqual(self, first, second, msg=None):
        if not first != second:
            self._fail(f"{first!r} == {second!r}", msg)

    def assertAlmostEqual(self, first, second, places=None, msg=None, delta=None):
        if first == second:
            return
        if delta is not None and places is not None:
            raise TypeError("specify delta or places not both")
        diff = abs(first - second)
        if delta is not None:
            if diff <= delta:
                return
            self._fail(f"{first!r} != {second!r} within {delta!r} delta ({diff!r} difference)",
                       msg)
        places = 7 if places is None else places
        if round(diff, places) != 0:
            self._fail(f"{first!r} != {second!r} within {places!r} places ({diff!r} difference)",
                       msg)

    def assertNotAlmostEqual(self, first, second, places=None, msg=None, delta=None):
        if delta is not None and places is not None:
            raise TypeError("specify delta or places not both")
        diff = abs(first - second)
        if delta is not None:
            if first == second or diff <= delta:
                self._fail(
                    f"{first!r} == {second!r} within {delta!r} delta ({diff!r} difference)", msg)
            return
        places = 7 if places is None else places
        if first == second or round(diff, places) == 0:
            self._fail(f"{first!r} == {second!r} within {places!r} places", msg)

    def assertSequenceEqual(self, first, second, msg=None, seq_type=None):
        name = seq_type.__name__ if seq_type is not None else "sequence"
        if seq_type is not None:
            for which, value in (("First", first), ("Second", second)):
                if not isinstance(value, seq_type):
                    self._fail(f"{which} sequence is not a {name}: {value!r}")
        if first == second or len(first) == len(second) and all(
                [first[i] == second[i] for i in range(len(first))]):
            return
        shown = f"{name[0].upper()}{name[1:]}s differ: {first!r} != {second!r}\n"
        length = min(len(first), len(second))
        for i in range(length):
            if first[i] != second[i]:
                shown += f"\nFirst differing element {i}:\n{first[i]!r}\n{second[i]!r}\n"
                break
        if len(first) != len(second):
            which, longer = ("First", first) if len(first) > len(second) else ("Second", second)
            shown += f"\n{which} {name} contains {len(longer) - length} additional elements.\n"
            shown += f"First extra element {length}:\n{longer[length]!r}\n"
        self._fail(shown, msg)

    def assertListEqual(self, list1, list2, msg=None):
        self.assertSequenceEqual(list1, list2, msg, list)

    def assertTupleEqual(self, tuple1, tuple2, msg=None):
        self.assertSequenceEqual(tuple1, tuple2, msg, tuple)

    def assertSetEqual(self, set1, set2, msg=None):
        if set1 == set2:
            return
        lines = []
        for which, rest in (("first", set1 - set2), ("second", set2 - set1)):
            if rest:
                lines.append(f"Items in the {which} set but not the "
                             f"{'second' if which == 'first' else 'first'}:")
                lines.extend([repr(item) for item in rest])
        self._fail("\n".join(lines), msg)

    def assertDictEqual(self, d1, d2, msg=None):
        self.assertIsInstance(d1, dict, "First argument is not a dictionary")
        self.assertIsInstance(d2, dict, "Second argument is not a dictionary")
        if d1 != d2:
            self._fail(f"{d1!r} != {d2!r}", msg)

    def assertMultiLineEqual(self, first, second, msg=None):
        self.assertIsInstance(first, str, "First argument is not a string")
        self.assertIsInstance(second, str, "Second argument is not a string")
        if first != second:
            self._fail(f"{first!r} != {second!r}", msg)

    def assertCountEqual(self, first, second, msg=None):
        first = list(first)
        rest = list(second)
        extra = []
        for item in first:
            if item in rest:
                rest.remove(item)
            else:
                extra.append(item)
        if not extra and not rest:
            return
        lines = ["Element counts were not equal:"]
        seen = []
        for item in extra + rest:
            if item not in seen:
                seen.append(item)
                second = list(second)
                lines.append(
                    f"First has {first.count(item)}, Second has {second.count(item)}:  {item!r}")
        self._fail("\n".join(lines), msg)

    def assertLess(self, a, b, msg=None):
        if not a < b:
            self._fail(f"{a!r} not less than {b!r}", msg)

    def assertLessEqual(self, a, b, msg=None):
        if not a <= b:
            self._fail(f"{a!r} not less than or equal to {b!r}", msg)

    def assertGreater(self, a, b, msg=None):
        if not a > b:
            self._fail(f"{a!r} not greater than {b!r}", msg)

    def assertGreaterEqual(self, a, b, msg=None):
        if not a >= b:
            self._fail(f"{a!r} not greater than or equal to {b!r}", msg)

    def assertIs(self, expr1, expr2, msg=None):
        if expr1 is not expr2:
            self._fail(f"{expr1!r} is not {expr2!r}", msg)

    def assertIsNot(self, expr1, expr2, msg=None):
        if expr1 is expr2:
            self._fail(f"unexpectedly identical: {expr1!r}", msg)

    def assertIsNone(self, obj, msg=None):
        if obj is not None:
            self._fail(f"{obj!r} is not None", msg)

    def assertIsNotNone(self, obj, msg=None):
        if obj is None:
            self._fail("unexpectedly None", msg)

    def assertIn(self, member, container, msg=None):
        if member not in container:
            self._fail(f"{member!r} not found in {container!r}", msg)

    def assertNotIn(self, member, container, msg=None):
        if member in container:
            self._fail(f"{member!r} unexpectedly found in {container!r}", msg)

    def assertIsInstance(self, obj, cls, msg=None):
        if not isinstance(obj, cls):
            self._fail(f"{obj!r} is not an instance of {cls!r}", msg)

    def assertNotIsInstance(self, obj, cls, msg=None):
        if isinstance(obj, cls):
            self._fail(f"{obj!r} is an instance of {cls!r}", msg)

    def assertHasAttr(self, obj, name, msg=None):
        if not hasattr(obj, name):
            self._fail(f"{type(obj).__name__!r} object has no attribute {name!r}", msg)

    def assertStartsWith(self, s, prefix, msg=None):
        if not s.startswith(prefix):
            self._fail(f"{s!r} doesn't start with {prefix!r}", msg)

    def assertEndsWith(self, s, suffix, msg=None):
        if not s.endswith(suffix):
            self._fail(f"{s!r} doesn't end with {suffix!r}", msg)

    def assertRegex(self, text, expected_regex, msg=None):
        import re

        pattern = re.compile(expected_regex)
        if not pattern.search(text):
            self._fail(f"Regex didn't match: {pattern.pattern!r} not found in {text!r}", msg)

    def assertNotRegex(self, text, unexpected_regex, msg=None):
        import re

        pattern = re.compile(unexpected_regex)
        match = pattern.search(text)
        if match:
            self._fail(f"Regex matched: {match.group(0)!r} matches {pattern.pattern!r} in {text!r}",
                       msg)

    def assertRaises(self, expected_exception, *args, **kwargs):
        return self._raises(_Raises(self, expected_exception), args, kwargs)

    def assertRaisesRegex(self, expected_exception, expected_regex, *args, **kwargs):
        return self._raises(_Raises(self, expected_exception, expected_regex), args, kwargs)

    def assertWarns(self, expected_warning, *args, **kwargs):
        return self._raises(_Warns(self, expected_warning, None, None), args, kwargs)

    def assertWarnsRegex(self, expected_warning, expected_regex, *args, **kwargs):
        return self._raises(_Warns(self, expected_warning, expected_regex, None), args, kwargs)

    def _raises(self, context, args, kwargs):
        if not args:
            context._message = kwargs.get("msg")
            return context
        context._function = args[0]
        with context:
            args[0](*args[1:], **kwargs)
        return None
