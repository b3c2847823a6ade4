RANK = {"+": 1, "-": 1, "*": 2}


class Node:
    def __init__(self, token, left, right):
        self.token = token
        self.left = left
        self.right = right

    def value(self, x):
        if self.left is None:
            return x if self.token == "x" else int(self.token)
        left = self.left.value(x)
        right = self.right.value(x)
        if self.token == "*":
            return left * right
        return left + right if self.token == "+" else left - right


def tokens(text):
    found = [""]
    for letter in text + ")":
        if letter.isdigit() and found[-1].isdigit():
            found[-1] += letter
        else:
            found.append(letter)
    return found[:0:-1]


def parse(rest, rank=0):
    token = rest.pop()
    tree = parse(rest) if token == "(" else Node(token, None, None)
    while RANK.get(rest[-1], 0) > rank:
        sign = rest.pop()
        tree = Node(sign, tree, parse(rest, RANK[sign]))
    if rank == 0:
        rest.pop()
    return tree


x = threadIdx % 64 + 1
text = "x"
for _ in range(8):
    x = (x * 1103515245 + 12345) & 0x7FFFFFFF
    form = ("%s-%d", "(%s)*%d", "%s+(x+%d)")[(x >> 16) % 3]
    text = form % (text, (x >> 20) % 30)
tree = parse(tokens(text))
print(text, tree.value(0), tree.value(9))
