class Node:
    __slots__ = ("key", "value", "left", "right")

    def __init__(self, key, value):
        self.key, self.value = key, value
        self.left = self.right = None


class Tree:
    def __init__(self):
        self.root, self.size = None, 0

    def __setitem__(self, key, value):
        node = self.root
        if node is None:
            self.root, self.size = Node(key, value), 1
            return
        while node.key != key:
            side = "left" if key < node.key else "right"
            if getattr(node, side) is None:
                setattr(node, side, Node(key, value))
                self.size += 1
                return
            node = getattr(node, side)
        node.value = value

    def __getitem__(self, key):
        node = self.root
        while node is not None:
            if node.key == key:
                return node.value
            node = node.left if key < node.key else node.right
        raise KeyError(key)

    def __len__(self):
        return self.size

    def __iter__(self):
        def walk(node):
            if node is not None:
                yield from walk(node.left)
                yield node.key
                yield from walk(node.right)

        return walk(self.root)


tree = Tree()
seed = 1
for i in range(150):
    seed = seed * 69069 % 65537
    tree[seed % 500] = i
print(len(tree), tree[69069 % 65537 % 500])
keys = list(tree)
print(keys == sorted(keys), keys[:10], keys[-5:])
try:
    tree[1000]
except KeyError as error:
    print("no", error)
