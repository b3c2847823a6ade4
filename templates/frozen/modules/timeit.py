import utime

default_number = 1000000
default_repeat = 5


def default_timer():
    return utime.ticks_us() / 1000000


class Timer:
    def __init__(self, stmt="pass", setup="pass", timer=default_timer, globals=None):
        self._timer = timer
        self._globals = {} if globals is None else globals
        self._stmt = self._callable(stmt)
        self._setup = self._callable(setup)

    def _callable(self, code):
        if callable(code):
            return code
        code = compile(code, "<timeit-src>", "exec")
        return lambda: exec(code, self._globals)

    def timeit(self, number=default_number):
        self._setup()
        stmt = self._stmt
        start = self._timer()
        for _ in range(number):
            stmt()
        return self._timer() - start

    def repeat(self, repeat=default_repeat, number=default_number):
        return [self.timeit(number) for _ in range(repeat)]

    def autorange(self, callback=None):
        scale = 1
        while True:
            for factor in (1, 2, 5):
                number = scale * factor
                taken = self.timeit(number)
                if callback:
                    callback(number, taken)
                if taken >= 0.2:
                    return number, taken
            scale *= 10


def timeit(stmt="pass", setup="pass", timer=default_timer, number=default_number, globals=None):
    return Timer(stmt, setup, timer, globals).timeit(number)


def repeat(stmt="pass", setup="pass", timer=default_timer, repeat=default_repeat,
           number=default_number, globals=None):
    return Timer(stmt, setup, timer, globals).repeat(repeat, number)
