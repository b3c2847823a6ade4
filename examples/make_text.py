"""Generate the play for Figure 5c: about 5.2 MB of ASCII, identical in each run.

    python examples/make_text.py shakespeare.txt [BYTES]

The play contains `million` 20 times and `Snake` once, at the start of a line and at a multiple of 6
bytes, so one interpreter reads that line from its start. Needs only Python. Put into an image with

    mkdir files && python examples/make_text.py files/shakespeare.txt
    porter fs build files IMAGE --block 4096
"""

import sys

SIZE = 5_200_000  # bytes, at most a line more
MILLIONS = 20
SNAKE = "Snakes have I none, but in this kettle steam the frogs of spring;"

SPEAKERS = (
    "ADRASTE BELDAM CORVINO DOROTHEA EGMONT FENWICK GWENDOLEN HIERONYMO ISOLDE JASPER KESTREL "
    "LUCASTA MALVERN NERISSA OSRIC PERDITA QUILLON ROSAMUND SILVIO TAMSIN"
).split()
OPENINGS = (
    "And if|Nor shall|Yet when|O that|Then let|Since first|Where once|Though still|Now as|"
    "Thus did|Before|So may"
).split("|")
ADJECTIVES = (
    "weary golden silent crooked gentle bitter hollow moonlit idle solemn broken merry ragged "
    "tender frosty borrowed salted nameless patient heavy"
).split()
NOUNS = (
    "river lantern kingdom shepherd winter orchard sparrow anchor cradle bell candle harvest "
    "letter mountain mirror garden thunder ladder feather harbour"
).split()
VERBS = (
    "forgets remembers carries follows mocks forgives measures mends drowns crowns questions "
    "borrows answers hides weighs outlives wakes pardons shadows praises"
).split()
ENDINGS = (
    "before the day is done;|and asks no leave of me.|as water does the stone,|"
    "and none shall tell us why.|when all the town's asleep,|for half a penny's worth.|"
    "and so to bed we go!|beneath a borrowed sky,|till morning shuts the door.|"
    "with neither shame nor haste,"
).split("|")
MILLION = "A million times the {} {} the {}."


class Dice:
    """A linear congruential generator, which gives the same numbers in every Python version."""

    def __init__(self, seed):
        self.state = seed

    def pick(self, among):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return among[(self.state >> 33) % len(among)]


def verse(dice):
    """Return a random line of a speech."""
    return "{} the {} {} {} the {} {}".format(
        *map(dice.pick, (OPENINGS, ADJECTIVES, NOUNS, VERBS, NOUNS, ENDINGS))
    )


def lines(size):
    """Yield all lines, each with its newline, until they have `size` bytes."""
    dice = Dice(1623)
    at = speech = snakes = millions = 0
    while at < size:
        if speech == 0:
            line = dice.pick(SPEAKERS) + "."
            speech = dice.pick(range(3, 12))
        elif at >= size * (millions + 0.5) / MILLIONS and millions < MILLIONS:
            line = MILLION.format(*map(dice.pick, (NOUNS, VERBS, NOUNS)))
            millions += 1
        elif at >= size / 3 and at % 6 == 0 and not snakes:
            line = SNAKE
            snakes = 1
        else:
            line = verse(dice)
            speech -= 1
        if speech == 0:
            line += "\n"
        yield line + "\n"
        at += len(line) + 1


def text(size=SIZE):
    """Return the play as str."""
    return "".join(lines(size))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    size = int(sys.argv[2]) if len(sys.argv) == 3 else SIZE
    with open(sys.argv[1], "w", encoding="ascii", newline="") as file:
        file.writelines(lines(size))
