# Methods of exception groups. port/raised.c finds them here.


def derive(self, excs):
    return BaseExceptionGroup(self.message, excs)


def _test(condition):
    if isinstance(condition, (type, tuple)):
        types = condition if isinstance(condition, tuple) else (condition,)
        if all(isinstance(each, type) and issubclass(each, BaseException) for each in types):
            return lambda error: isinstance(error, condition)
    elif callable(condition):
        return condition
    raise TypeError("expected a function, exception type or tuple of exception types")


def _derived(self, members):
    made = self.derive(members)
    if not isinstance(made, BaseExceptionGroup):
        raise TypeError("derive must return an instance of BaseExceptionGroup")
    made.__traceback__ = self.__traceback__
    made.__context__ = self.__context__
    cause = self.__cause__
    if cause is not None:
        made.__cause__ = cause
    made.__suppress_context__ = self.__suppress_context__
    notes = getattr(self, "__notes__", None)
    if isinstance(notes, list):
        made.__notes__ = list(notes)
    return made


def _split(self, test):
    if test(self):
        return self, None
    matching = []
    others = []
    for error in self.exceptions:
        if isinstance(error, BaseExceptionGroup):
            match, rest = _split(error, test)
        elif test(error):
            match, rest = error, None
        else:
            match, rest = None, error
        if match is not None:
            matching.append(match)
        if rest is not None:
            others.append(rest)
    return (
        _derived(self, matching) if matching else None,
        _derived(self, others) if others else None,
    )


def split(self, condition):
    return _split(self, _test(condition))


def subgroup(self, condition):
    return _split(self, _test(condition))[0]
