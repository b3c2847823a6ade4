SOLVED = (1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1)


def given(seed):
    x = seed
    names = [1, 2, 3, 4]
    for i in (3, 2, 1):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        j = (x >> 16) % (i + 1)
        names[i], names[j] = names[j], names[i]
    board = [names[value - 1] for value in SOLVED]
    for _ in range(16):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        board[(x >> 16) % 16] = 0
    return board


def fits(board, place, value):
    row, column = place // 4, place % 4
    for i in range(4):
        if board[row * 4 + i] == value or board[i * 4 + column] == value:
            return False
    corner = row // 2 * 8 + column // 2 * 2
    return value not in (board[corner], board[corner + 1], board[corner + 4], board[corner + 5])


def solve(board, most):
    if 0 not in board:
        return 1
    place = board.index(0)
    found = 0
    for value in (1, 2, 3, 4):
        if found < most and fits(board, place, value):
            board[place] = value
            found += solve(board, most - found)
            board[place] = 0
    return found


def main(seed):
    board = given(seed)
    print("".join(map(str, board)), solve(board, 3))


main(threadIdx % 64 + 1)
