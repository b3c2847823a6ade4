def caesar(text, shift):
    out = []
    for c in text:
        if "a" <= c <= "z":
            c = chr((ord(c) - 97 + shift) % 26 + 97)
        elif "A" <= c <= "Z":
            c = chr((ord(c) - 65 + shift) % 26 + 65)
        out.append(c)
    return "".join(out)


def run_lengths(text):
    parts, i = [], 0
    while i < len(text):
        j = i
        while j < len(text) and text[j] == text[i]:
            j += 1
        parts.append("%d%s" % (j - i, text[i]))
        i = j
    return "".join(parts)


def wrap(text, width):
    line, lines = "", []
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = (line + " " + word).strip()
    return lines + [line]


def palindrome(text):
    letters = [c.lower() for c in text if c.isalpha()]
    return letters == letters[::-1]


secret = caesar("Meet me at the old oak tree, Thursday at Noon.", 11)
print(secret)
print(caesar(secret, -11))
print(run_lengths("aaabccddddde"), run_lengths(""))
for line in wrap("the quick brown fox jumps over the lazy dog and runs on and on " * 3, 32):
    print("|{:<32}|{:>3}|".format(line, len(line)))
print(palindrome("A man, a plan, a canal: Panama"), palindrome("Python"))
text = ""
for i in range(300):
    text += str(i) + ","
print(len(text), text[-20:], text.count("9"), text.replace(",", "")[100:120])
print("-".join(reversed("a,b,c".split(","))), "x".join("123"), f"{3.14159:.2f} {255:#x} {'hi':^9}|")
