import json


def main(seed):
    rows = []
    for i in range(8):
        rows.append({"id": seed + i, "name": "n%d" % (seed * i), "tags": ["a", "b"], "on": True})
    back = json.loads(json.dumps(rows))
    print(sum([row["id"] for row in back]), back[3]["name"])


main(threadIdx)
