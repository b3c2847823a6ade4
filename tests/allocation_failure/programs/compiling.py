# The compiler runs inside the program, so its failures can be caught by it.
source = """
def f(a, *b, c=1, **d):
    x = [i for i in b if i]
    def g():
        nonlocal x
        x = {k: v for k, v in d.items()}
        return lambda y: (y, x)
    return g()(a)
"""
space = {}
exec(compile(source, "inner", "exec"), space)
print(space["f"](1, 2, 3, k=4), eval("[f'{i:02}' for i in range(3)]"))
try:
    exec("x = = 1")
except SyntaxError as e:
    print("SyntaxError", e.args[0])
