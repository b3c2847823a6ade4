x = y = 0
x, *y = 1, 2, 3
x += 1; x -= 2
del y[0]
if x: pass
elif y: x
else: ...
while x < 9:
    x += 1
    if x == 4: continue
    if x > 7: break
else:
    x = 0
for i, j in zip((1, 2), 'ab'): print(i, j)
assert x, 'no'
global q
