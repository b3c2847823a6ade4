TASKS = {
    "shoes": ["socks", "trousers"],
    "trousers": ["underwear"],
    "belt": ["trousers"],
    "jacket": ["shirt", "belt", "tie"],
    "tie": ["shirt"],
    "shirt": [],
    "socks": [],
    "underwear": [],
}


class Cycle(Exception):
    pass


def order(graph):
    done, path, result = set(), [], []

    def visit(node):
        if node in done:
            return
        if node in path:
            raise Cycle(path[path.index(node) :] + [node])
        path.append(node)
        for other in sorted(graph.get(node, ())):
            visit(other)
        path.pop()
        done.add(node)
        result.append(node)

    for node in sorted(graph):
        visit(node)
    return result


def levels(graph):
    left = {node: set(needs) for node, needs in graph.items()}
    while left:
        ready = sorted(node for node, needs in left.items() if not needs)
        yield ready
        left = {n: needs - set(ready) for n, needs in left.items() if n not in ready}


print(order(TASKS))
for number, level in enumerate(levels(TASKS)):
    print(number, level)
try:
    order({"a": ["b"], "b": ["c"], "c": ["a"]})
except Cycle as error:
    print("cycle:", " -> ".join(error.args[0]))
chain = {"n%03d" % i: ["n%03d" % (i + 1)] for i in range(40)}
print(order(chain)[:3], len(order(chain)))
a, b = set("abracadabra"), set("alacazam")
print(sorted(a - b), sorted(a & b), sorted(a ^ b), len(a | b), {"a", "b"} <= a)
