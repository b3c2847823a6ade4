PROGRAM = """
(begin
  (define fact (lambda (n) (if (< n 2) 1 (* n (fact (- n 1))))))
  (define twice (lambda (f x) (f (f x))))
  (define loop (lambda (i total) (if (< 30 i) total (loop (+ i 1) (+ total (* i i))))))
  (list (fact 20) (twice (lambda (x) (* x x)) 7) (loop 1 0)))
"""


def read(tokens):
    token = tokens.pop(0)
    if token == "(":
        items = []
        while tokens[0] != ")":
            items.append(read(tokens))
        tokens.pop(0)
        return items
    try:
        return int(token)
    except ValueError:
        return token


class Scope(dict):
    def __init__(self, names=(), values=(), outer=None):
        super().__init__(zip(names, values))
        self.outer = outer

    def find(self, name):
        if name in self:
            return self
        if self.outer is None:
            raise NameError(name)
        return self.outer.find(name)


def evaluate(x, scope):
    if isinstance(x, str):
        return scope.find(x)[x]
    if not isinstance(x, list):
        return x
    head = x[0]
    if head == "if":
        return evaluate(x[2] if evaluate(x[1], scope) else x[3], scope)
    if head == "define":
        scope[x[1]] = evaluate(x[2], scope)
        return None
    if head == "lambda":
        return lambda *args: evaluate(x[2], Scope(x[1], args, scope))
    if head == "begin":
        return [evaluate(part, scope) for part in x[1:]][-1]
    function = evaluate(head, scope)
    return function(*[evaluate(part, scope) for part in x[1:]])


top = Scope(["+", "-", "*", "<"], [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b,
            lambda a, b: a < b])
top["list"] = lambda *items: list(items)
print(evaluate(read(PROGRAM.replace("(", " ( ").replace(")", " ) ").split()), top))
