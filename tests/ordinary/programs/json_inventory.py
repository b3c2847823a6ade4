import json

TEXT = """
{"shop": "Snakes & Ladders", "open": true, "rating": 4.5, "items": [
  {"name": "ladder", "price": 120, "stock": 3, "tags": ["tall", "wood"]},
  {"name": "snake", "price": 45.5, "stock": 12, "tags": ["long"]},
  {"name": "die", "price": 1, "stock": 600, "tags": []},
  {"name": "board", "price": 30, "stock": 0, "tags": ["flat", "square", "wood"]}
], "owner": null}
"""

shop = json.loads(TEXT)


def total(items):
    return sum(item["price"] * item["stock"] for item in items)


def tagged(items):
    index = {}
    for item in items:
        for tag in item["tags"]:
            index.setdefault(tag, []).append(item["name"])
    return index


def update(items, name, **changes):
    for item in items:
        if item["name"] == name:
            item.update(changes)
            return True
    return False


print(shop["shop"], shop["open"], shop["owner"], shop["rating"])
print("worth", total(shop["items"]))
for tag, names in sorted(tagged(shop["items"]).items()):
    print(tag, names)
print(update(shop["items"], "board", stock=7, price=33), update(shop["items"], "pawn", stock=1))
print("worth", total(shop["items"]))
again = json.loads(json.dumps(shop))
print(again == shop)
print([item["name"] for item in again["items"] if item["stock"] > 5])
try:
    json.loads("{broken")
except ValueError:
    print("not JSON")
