LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
seen = {}


def winner(board):
    for a, b, c in LINES:
        if board[a] != " " and board[a] == board[b] == board[c]:
            return board[a]
    return None


def score(board, player):
    """1 if `player`, who moves next, can win; 0 for a draw; -1 if all is lost."""
    if winner(board):
        return -1
    if " " not in board:
        return 0
    if board in seen:
        return seen[board]
    other = "O" if player == "X" else "X"
    best = -1
    for at in range(9):
        if board[at] == " ":
            best = max(best, -score(board[:at] + player + board[at + 1 :], other))
            if best == 1:
                break
    seen[board] = best
    return best


def move(board, player):
    other = "O" if player == "X" else "X"
    choices = [at for at in range(9) if board[at] == " "]
    return max(choices, key=lambda at: (-score(board[:at] + player + board[at + 1 :], other), -at))


board, player = "X   O   X", "O"
while not winner(board) and " " in board:
    at = move(board, player)
    board = board[:at] + player + board[at + 1 :]
    print(player, "takes", at)
    player = "O" if player == "X" else "X"
for row in range(3):
    print("|".join(board[row * 3 : row * 3 + 3]))
print("winner:", winner(board), len(seen), "positions")
