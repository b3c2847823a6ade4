"""Groups of libclang's kinds of nodes and types that several modules use."""

from __future__ import annotations

from clang.cindex import CursorKind, TypeKind

RECORDS = (CursorKind.STRUCT_DECL, CursorKind.UNION_DECL)
TAGS = (*RECORDS, CursorKind.ENUM_DECL)
LOOPS = (CursorKind.FOR_STMT, CursorKind.WHILE_STMT, CursorKind.DO_STMT)

ARRAYS = (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY)  # of known length, or not yet known
ALL_ARRAYS = (*ARRAYS, TypeKind.VARIABLEARRAY)
FLOATS = frozenset({TypeKind.FLOAT, TypeKind.DOUBLE})
SIGNED = frozenset(
    {
        TypeKind.CHAR_S,
        TypeKind.SCHAR,
        TypeKind.SHORT,
        TypeKind.INT,
        TypeKind.LONG,
        TypeKind.LONGLONG,
    }
)
INTEGERS = frozenset(
    {
        TypeKind.BOOL,
        TypeKind.CHAR_U,
        TypeKind.UCHAR,
        TypeKind.USHORT,
        TypeKind.UINT,
        TypeKind.ULONG,
        TypeKind.ULONGLONG,
        *SIGNED,
        TypeKind.ENUM,
    }
)
