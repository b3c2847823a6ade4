import json, re, struct
from array import array

text = json.dumps({"a": [1, 2.5, None, "x\n"], "b": {"c": True}})
print(sorted(json.loads(text)), re.sub("[aeiou]+", lambda m: m.group(0).upper(), "reading books"))
print(struct.unpack("<hIf", struct.pack("<hIf", -2, 7, 0.5)), array("h", [1, 2]) + array("h", [3]))
print(re.compile("x+").split("axxbxc"), "{:>8}|{!r:<5}|{:.3f}".format("r", "s", 3.14159))
