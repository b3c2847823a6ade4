SOURCE = """
push 0
store sum
push 1
store i
loop:
load sum
load i
dup
mul
add
store sum
load i
push 1
add
dup
store i
push 50
less
jump_if loop
load sum
print
push 10
call fact
print
halt
fact:
dup
push 2
less
jump_if base
dup
push 1
sub
call fact
mul
ret
base:
pop
push 1
ret
"""


def assemble(text):
    code, labels = [], {}
    for line in text.strip().split("\n"):
        if line.endswith(":"):
            labels[line[:-1]] = len(code)
        else:
            op, _, arg = line.partition(" ")
            code.append((op, int(arg) if arg.isdigit() else arg))
    return [(op, labels.get(arg, arg)) for op, arg in code]


class Machine:
    def __init__(self, code):
        self.code, self.stack, self.calls, self.names = code, [], [], {}
        self.at = self.steps = 0

    def run(self):
        while True:
            op, arg = self.code[self.at]
            self.at += 1
            self.steps += 1
            if op == "halt":
                return self.steps
            getattr(self, "do_" + op)(arg)

    def do_push(self, arg):
        self.stack.append(arg)

    def do_pop(self, arg):
        self.stack.pop()

    def do_dup(self, arg):
        self.stack.append(self.stack[-1])

    def do_load(self, arg):
        self.stack.append(self.names[arg])

    def do_store(self, arg):
        self.names[arg] = self.stack.pop()

    def do_print(self, arg):
        print(self.stack.pop())

    def do_call(self, arg):
        self.calls.append(self.at)
        self.at = arg

    def do_ret(self, arg):
        self.at = self.calls.pop()

    def do_jump_if(self, arg):
        if self.stack.pop():
            self.at = arg


def binary(function):
    def do(self, arg):
        right, left = self.stack.pop(), self.stack.pop()
        self.stack.append(function(left, right))

    return do


Machine.do_add = binary(lambda a, b: a + b)
Machine.do_sub = binary(lambda a, b: a - b)
Machine.do_mul = binary(lambda a, b: a * b)
Machine.do_less = binary(lambda a, b: a < b)
print(Machine(assemble(SOURCE)).run())
