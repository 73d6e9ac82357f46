#!/usr/bin/env python3
"""A JSON document of as many bytes as asked for, always the same one: document.py BYTES > FILE"""
import json
import random
import sys

size = int(sys.argv[1])
dice = random.Random(1)
letters = "abcdefgh xyz"


def word():
    return "".join(dice.choice(letters) for _ in range(dice.randrange(3, 20)))


def item(number):
    value = dice.choice([1.5, -3, True, None, "x\n\u00e9"])
    return {"id": number, "name": word(), "v": value, "l": [dice.randrange(1000) for _ in range(3)]}


items = []
text = "[]"
while True:
    items.append(item(len(items)))
    longer = json.dumps(items, separators=(",", ":"))
    if len(longer) > size:
        break
    text = longer
print(text + " " * (size - len(text)), end="")
