# Each feature is part of the language, so importing one has no effect.


class _Feature:
    compiler_flag = 0

    def __init__(self, optional, mandatory):
        self.optional = optional
        self.mandatory = mandatory

    def getOptionalRelease(self):
        return self.optional

    def getMandatoryRelease(self):
        return self.mandatory


def __getattr__(name):
    if name == "annotations":
        return _Feature((3, 7, 0, "beta", 1), None)
    if name == "generator_stop":
        return _Feature((3, 5, 0, "beta", 1), (3, 7, 0, "alpha", 0))
    if name in ("division", "absolute_import", "with_statement", "print_function",
                "unicode_literals", "nested_scopes", "generators", "barry_as_FLUFL"):
        return _Feature((2, 2, 0, "alpha", 0), (3, 0, 0, "alpha", 0))
    raise AttributeError(f"module '__future__' has no attribute '{name}'")
