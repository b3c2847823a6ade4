import micropython
X = micropython.const(5)
@micropython.viper
def v(a: int, b: ptr8) -> int: return a
@micropython.native
def n(a): return a + X
