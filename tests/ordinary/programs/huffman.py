import heapq

TEXT = "she sells sea shells by the sea shore; the shells she sells are surely seashells"


class Leaf:
    def __init__(self, count, symbol):
        self.count, self.symbol = count, symbol

    def codes(self, prefix=""):
        yield self.symbol, prefix or "0"


class Branch:
    def __init__(self, left, right):
        self.count = left.count + right.count
        self.left, self.right = left, right

    def codes(self, prefix=""):
        yield from self.left.codes(prefix + "0")
        yield from self.right.codes(prefix + "1")


def build(text):
    counts = {}
    for c in text:
        counts[c] = counts.get(c, 0) + 1
    heap = [(n, i, Leaf(n, c)) for i, (c, n) in enumerate(sorted(counts.items()))]
    heapq.heapify(heap)
    serial = len(heap)
    while len(heap) > 1:
        low, high = heapq.heappop(heap), heapq.heappop(heap)
        heapq.heappush(heap, (low[0] + high[0], serial, Branch(low[2], high[2])))
        serial += 1
    return heap[0][2]


def decode(bits, tree):
    out, node = [], tree
    for bit in bits:
        node = node.left if bit == "0" else node.right
        if isinstance(node, Leaf):
            out.append(node.symbol)
            node = tree
    return "".join(out)


tree = build(TEXT)
codes = dict(tree.codes())
bits = "".join(codes[c] for c in TEXT)
print(len(TEXT) * 8, len(bits), decode(bits, tree) == TEXT)
for symbol in sorted(codes, key=lambda c: (len(codes[c]), codes[c])):
    print(repr(symbol), codes[symbol])
