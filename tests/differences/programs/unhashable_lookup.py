# Containers: Looking up an unhashable key in an empty dict
# An empty dict does not hash the key. Other dicts raise TypeError.
try:
    print([1] in {})
except TypeError:
    print('TypeError')
