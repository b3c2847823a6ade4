# kind: died
# place: uctypes_struct_size<uctypes_struct_sizeof
# what: SIGABRT: AddressSanitizer: global-buffer-overflow
__import__("uctypes").sizeof({"a": ()}, 0)
