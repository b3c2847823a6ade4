GRID = """
53..7.... 6..195... .98....6. 8...6...3 4..8.3..1 7...2...6 .6....28. ...419..5 ....8..79
"""


def read(text):
    return [0 if c == "." else int(c) for c in text if c not in " \n"]


def allowed(grid, at):
    row, column = at // 9, at % 9
    top, left = row // 3 * 3, column // 3 * 3
    used = set(grid[row * 9 : row * 9 + 9])
    used |= set(grid[column::9])
    for y in range(top, top + 3):
        used |= set(grid[y * 9 + left : y * 9 + left + 3])
    return [digit for digit in range(1, 10) if digit not in used]


def solve(grid):
    best = None
    for at in range(81):
        if not grid[at]:
            choices = allowed(grid, at)
            if best is None or len(choices) < len(best[1]):
                best = at, choices
                if len(choices) < 2:
                    break
    if best is None:
        return True
    at, choices = best
    for digit in choices:
        grid[at] = digit
        if solve(grid):
            return True
    grid[at] = 0
    return False


grid = read(GRID)
print(grid.count(0), "empty", allowed(grid, 2))
print(solve(grid))
for row in range(9):
    cells = [str(digit) for digit in grid[row * 9 : row * 9 + 9]]
    print(" ".join(cells[:3]) + " | " + " ".join(cells[3:6]) + " | " + " ".join(cells[6:]))
