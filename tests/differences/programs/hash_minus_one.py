# Numbers: The hash of -1
print(hash(-1))
