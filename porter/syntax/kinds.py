"""Groups of libclang's kinds that several rules ask for."""

from __future__ import annotations

from clang.cindex import CursorKind, TypeKind

ARRAYS = (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY)  # of known length, or none yet
RECORDS = (CursorKind.STRUCT_DECL, CursorKind.UNION_DECL)
TAGS = (*RECORDS, CursorKind.ENUM_DECL)
