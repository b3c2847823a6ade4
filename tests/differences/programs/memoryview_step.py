# Containers: Slices of a memoryview with a step
print(bytes(memoryview(b'abcdef')[::2]))
