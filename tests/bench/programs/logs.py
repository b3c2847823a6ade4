# Settings in text: comments go, names in braces are filled in, what is no setting is counted.
import re

SETTING = re.compile(r"^ *([a-z_]+) *= *(.*?) *$")
NAME = re.compile(r"\{([a-z_]+)\}")


def lines(n):
    yield "host = h%d.example" % n
    for k in range(8):
        n = n * 7 % 101 + 1
        form = ("p%s = %d", "# %s %d", "u%s = {host}:%d/{pa}", "%s: %d", "  q_%s=%d # old")[n % 5]
        yield form % ("abc"[n % 3], n)


known = {}
odd = 0
for line in lines(threadIdx % 64 + 1):
    match = SETTING.match(line.split("#")[0])
    if match:
        known[match.group(1)] = match.group(2)
    else:
        odd += 1
for name in sorted(known):
    known[name] = NAME.sub(lambda found: known.get(found.group(1), "?"), known[name])
print(odd, len(known), sorted(known.items())[-1])
