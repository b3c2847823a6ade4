TEXT = "the snake saw the other snake and the snake ran from the other one"


def main(turn):
    count = {}
    for word in TEXT.split():
        key = word + str(turn)
        count[key] = count.get(key, 0) + 1
    parts = []
    for key in sorted(count):
        parts.append("%s=%d" % (key, count[key]))
    line = ", ".join(parts)
    letters = {}
    for letter in line:
        letters[letter] = letters.get(letter, 0) + 1
    print(line, letters["e"], line.upper().replace("E", "3")[:12])


main(threadIdx % 4)
