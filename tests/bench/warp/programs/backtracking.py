def solve(board, cell):
    if cell == 16:
        return 1
    if board[cell]:
        return solve(board, cell + 1)
    row, column = cell // 4, cell % 4
    found = 0
    for value in (1, 2, 3, 4):
        for i in range(4):
            if board[row * 4 + i] == value or board[i * 4 + column] == value:
                break
        else:
            board[cell] = value
            found += solve(board, cell + 1)
            board[cell] = 0
            if found > 0:
                return found
    return found


def main(seed):
    board = [0] * 16
    board[seed % 16] = seed % 4 + 1
    board[(seed * 7 + 3) % 16] = (seed // 4) % 4 + 1
    print(solve(board, 0))


main(threadIdx)
