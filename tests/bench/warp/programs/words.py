WORDS = ("the", "snake", "saw", "another", "one", "and", "ran", "from", "it", "home")


def main(seed):
    x = seed * 7919 + 1
    text = []
    for _ in range(60):
        x = (x * 1103 + 12345) % 65537
        text.append(WORDS[x % 10])
    count = {}
    for word in " ".join(text).split():
        count[word] = count.get(word, 0) + 1
    print(sorted(count.items(), key=lambda item: (-item[1], item[0]))[:3])


main(threadIdx)
