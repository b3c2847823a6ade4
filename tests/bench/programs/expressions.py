# A calculator: two stacks, regular expressions for tokens, functions in a table.
import re

BINDS = {"+": 1, "-": 1, "*": 2}
TOKEN = re.compile(r" *(\d+|[-+*()])")
values = []
signs = []


def apply():
    b, a = values.pop(), values.pop()
    sign = signs.pop()
    values.append(a * b if sign == "*" else a + b if sign == "+" else a - b)


def run(text):
    while text:
        found = TOKEN.match(text)
        token = found.group(1)
        text = text[len(found.group(0)) :]
        if token == "(":
            signs.append(token)
        elif token == ")":
            while signs[-1] != "(":
                apply()
            signs.pop()
        elif token in BINDS:
            while signs and BINDS.get(signs[-1], 0) >= BINDS[token]:
                apply()
            signs.append(token)
        else:
            values.append(int(token))
    while signs:
        apply()
    return values.pop()


n = threadIdx % 64
text = "%d" % n
for k in range(n % 6 + 4):
    text = "(%s) %s %d" % (text, "+-*"[(n + k * k) % 3], k + 2) if k % 2 else text + " + %d * 3" % k
print(text, run(text))
