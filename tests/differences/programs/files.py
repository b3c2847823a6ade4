# Library: Files
# An interpreter without a file system has no files.
print(open('/etc/hostname') is not None)
