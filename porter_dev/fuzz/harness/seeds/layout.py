x = (1,
  2)
y = [\
 3]
if x:
	pass
# é
s = """a
b"""
z = "\
"
