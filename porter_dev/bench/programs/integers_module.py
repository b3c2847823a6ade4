x = threadIdx % 64
total = 0
for i in range(256):
    total = (total * 5 + i + x) & 0xFFFF
print(total)
