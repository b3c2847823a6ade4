# A tree of folders as JSON: read, sizes added up from below, written, read again.
import json


def made(n, depth):
    if depth == 0 or n % 5 == 0:
        return {"name": "f%d" % n, "size": n * 37 % 1000}
    return {"name": "d%d" % n, "in": [made(n * 3 + k, depth - 1) for k in range(n % 3 + 1)]}


def total(node):
    if "in" in node:
        node["size"] = sum([total(child) for child in node["in"]])
    return node["size"]


text = json.dumps(made(threadIdx % 64 + 1, 3))
tree = json.loads(text)
size = total(tree)
again = json.loads(json.dumps(tree))
print(len(text), size, again["size"] == size, [child["size"] for child in again.get("in", [])])
