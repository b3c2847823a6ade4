# Library: Differences that unittest shows
# Lines of `difflib` are missing.
import unittest
try:
    unittest.TestCase().assertEqual([1, 2], [1, 3])
except AssertionError as error:
    print(error)
