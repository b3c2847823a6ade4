class Matrix:
    def __init__(self, rows):
        self.rows = [list(row) for row in rows]

    @classmethod
    def identity(cls, n):
        return cls([[1 if i == j else 0 for j in range(n)] for i in range(n)])

    def __matmul__(self, other):
        columns = list(zip(*other.rows))
        return Matrix([[sum(a * b for a, b in zip(row, c)) for c in columns] for row in self.rows])

    def __add__(self, other):
        return Matrix([[a + b for a, b in zip(r, s)] for r, s in zip(self.rows, other.rows)])

    def __pow__(self, n):
        result, base = Matrix.identity(len(self.rows)), self
        while n:
            if n & 1:
                result = result @ base
            base = base @ base
            n >>= 1
        return result

    def transposed(self):
        return Matrix(zip(*self.rows))

    def determinant(self):
        rows = self.rows
        if len(rows) == 1:
            return rows[0][0]
        total = 0
        for j, value in enumerate(rows[0]):
            minor = Matrix([row[:j] + row[j + 1 :] for row in rows[1:]])
            total += (-1) ** j * value * minor.determinant()
        return total

    def __repr__(self):
        return "\n".join(" ".join("%5d" % x for x in row) for row in self.rows)


m = Matrix([[2, 0, 1, 3], [1, 1, 0, -2], [0, 3, 2, 1], [4, 1, 1, 0]])
print(m @ m.transposed())
print(m.determinant(), (m + Matrix.identity(4)).determinant())
print((Matrix([[1, 1], [1, 0]]) ** 90).rows[0][1])
big = Matrix([[(i * j) % 5 for j in range(12)] for i in range(12)])
print(sum(map(sum, (big @ big).rows)))
