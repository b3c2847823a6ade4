# Texts: Encodings
# Interpreters know UTF-8, ASCII and Latin-1.
print('a'.encode('utf-16-le'))
