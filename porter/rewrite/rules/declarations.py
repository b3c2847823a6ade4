"""Rules for names and declarations that C++ spells or places differently.

`keywords` renames identifiers. `heads` writes prototypes. `externs`, `tags` and `types` place or
qualify declarations. `tentative` replaces tentative definitions.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from clang.cindex import Cursor

from porter.rewrite.edit import Edit, insert, replace
from porter.rewrite.file_constants import Statics
from porter.rewrite.queries import initialiser, symbol_key
from porter.rewrite.rule import Example, Rule, on, on_body
from porter.rewrite.spelling import CPP_KEYWORDS, TOKEN, cpp_name, spell
from porter.syntax.node import RECORDS, TAGS, Node, Span
from porter.syntax.node import CursorKind as K

C_SPELLINGS = {
    "_Bool": "bool",
    "_Static_assert": "static_assert",
    "_Alignof": "alignof",
    "_Alignas": "alignas",
    "restrict": "__restrict__",
    "register": "",
}
# Upstream undefines the macro of Porter's header; both compilers' headers declare the function.
C_FUNCTIONS = frozenset({"putchar"})


class Keywords(Rule):
    """Renames identifiers that are C++ keywords, and spells C's own keywords as C++ does."""

    name = "keywords"
    example = Example("int new; _Bool class;", "int new_; bool class_;")

    def before_walk(self) -> Iterator[Edit]:
        """Rename by token, because many names have no node of their own."""
        for match in TOKEN.finditer(self.unit.text):
            word = match.group()
            span = Span(*match.span())
            if word in CPP_KEYWORDS:
                yield replace(span, self.name, cpp_name(word))
            elif word in C_FUNCTIONS:
                yield replace(span, self.name, f"porter_{word}")
            elif word in C_SPELLINGS:
                yield replace(span, self.name, C_SPELLINGS[word])


class Heads(Rule):
    """Moves parameter declarations of an old-style (K&R) definition into the parameter list."""

    name = "heads"
    example = Example(
        "int f(a, p) int (*p)(int); int a; { return p(a); }",
        "int f(porter_as<int> a, porter_as<int (*)(int)> p) { return p(a); }",
    )

    @on_body
    def head(self, function: Node, block: Node) -> Iterator[Edit]:
        """Rewrite the parameter list of an old-style definition."""
        behind = Span(function.cursor.location.offset + len(function.spelling), block.start)
        if ";" not in self.unit.code_between(behind.start, behind.end):
            return
        for tag in self.unit.walk():
            if tag.kind in TAGS and behind.start <= tag.start < behind.end:
                raise self.refuse(tag, "a type that is defined behind a function's head")
        yield replace(behind, self.name, f"({', '.join(self._parameters(function))}) ")

    def _parameters(self, function: Node) -> list[str]:
        """Return the parameters as C++ declarations, in order."""
        return [
            f"porter_as<{spell(child.type)}> {cpp_name(child.spelling)}"
            for child in function.children
            if child.kind == K.PARM_DECL
        ]


class Externs(Rule):
    """Moves `extern` declarations in a function before it, where they can be marked."""

    name = "externs"
    example = Example(
        "int f(void) { extern const int k; return k; }",
        "PORTER_DEVICE extern const int k; int f(void) { ; return k; }",
    )

    @on(K.FUNCTION_DECL)
    def function(self, node: Node) -> Iterator[Edit]:
        """Move the declaration of a function out of another function."""
        if node.parent is not None and node.parent.kind == K.DECL_STMT:
            yield from self._move(node, node.parent)

    @on(K.VAR_DECL)
    def variable(self, node: Node) -> Iterator[Edit]:
        """Move a variable's extern declaration, unless the variable is in the state."""
        if (
            node.parent is not None
            and node.parent.kind == K.DECL_STMT
            and node.cursor.storage_class.name == "EXTERN"
            and symbol_key(self.unit.name, node.cursor) not in self.program.state
        ):
            yield from self._move(node, node.parent)

    def _move(self, node: Node, statement: Node) -> Iterator[Edit]:
        if len(statement.children) != 1:
            raise self.refuse(node, "several external names in one declaration")
        yield insert(node.top().start, f"PORTER_DEVICE {node.text}; ", self.name)
        yield replace(node.span, self.name)


class Tags(Rule):
    """Writes `Outer::Inner` where C finds a nested struct's tag or enumerator by its bare name."""

    name = "tags"
    example = Example(
        "struct A { struct B { int n; } b; }; struct B *p;",
        "struct A { struct B { int n; } b; }; struct A::B *p;",
    )

    @on(K.TYPE_REF)
    def tag(self, node: Node) -> Iterator[Edit]:
        """Qualify a tag."""
        if node.referenced is not None:
            yield from self._qualify(node, node.referenced)

    @on(K.DECL_REF_EXPR)
    def enumerator(self, node: Node) -> Iterator[Edit]:
        """Qualify an enumerator by the struct that declares its enum."""
        if node.referenced is not None and node.referenced.kind == K.ENUM_CONSTANT_DECL:
            yield from self._qualify(node, node.referenced.semantic_parent)

    def _qualify(self, node: Node, declared: Cursor) -> Iterator[Edit]:
        if declared.kind not in TAGS:
            return
        definition = declared.get_definition()
        if definition is None:  # C++ also declares a bare `struct T *` outside the struct
            return
        names: list[str] = []
        outer = definition.lexical_parent
        while outer is not None and outer.kind in RECORDS:
            inside = outer.extent.start.offset <= node.start < outer.extent.end.offset
            if inside:
                break
            if not outer.spelling or "unnamed" in outer.spelling:
                raise self.refuse(node, "a tag declared inside a struct without a name")
            names.append(cpp_name(str(outer.spelling)))
            outer = outer.lexical_parent
        if names:
            prefix = "::".join(reversed(names))
            yield replace(node.span, self.name, f"{prefix}::", node.span)


class Tentative(Rule):
    """Turns `const T x;` before its definition into an extern; a static gets a unique name."""

    name = "tentative"
    example = Example(
        "static const int k; static const int k = 1;",
        "extern const int k__unit; extern const int k__unit = 1;",
    )

    @cached_property
    def statics(self) -> Statics:
        """The unit's file-scope constants and their C++ names."""
        return Statics(self.unit, self.program)

    def before_walk(self) -> Iterator[Edit]:
        """Edit all declarations of a name together."""
        for name, nodes in self.statics.constants.items():
            given = [node for node in nodes if initialiser(node) is not None]
            for node in nodes:
                if name in self.statics.renamed:
                    yield from self._rename(node)
                elif node.cursor.storage_class.name != "STATIC" and node not in given:
                    yield insert(node.start, "extern ", self.name)
            if not given:  # C gives it zeros
                yield insert(nodes[-1].end, " = {}", self.name)

    @on(K.DECL_REF_EXPR)
    def use(self, node: Node) -> Iterator[Edit]:
        """Replace a use of a renamed static constant."""
        if node.spelling in self.statics.renamed:
            target = node.referenced
            if target is not None and target.semantic_parent.kind == K.TRANSLATION_UNIT:
                yield replace(node.span, self.name, self.statics.given(node.spelling))

    def _rename(self, node: Node) -> Iterator[Edit]:
        """Turn a static declaration into an extern with a name unique in the program."""
        offset = node.cursor.location.offset
        at = self.unit.text.index("static", node.start, offset)
        yield replace(Span(at, at + len("static")), self.name, "extern")
        span = Span(offset, offset + len(node.spelling))
        yield replace(span, self.name, self.statics.given(node.spelling))


class Types(Rule):
    """Moves a struct defined in sizeof, offsetof or a cast before its function, and names it."""

    name = "types"
    example = Example(
        "int f(void) { return sizeof(struct { char c; int i; }); }",
        "struct type_28_ { char c; int i; }; int f(void) { return sizeof(type_28_); }",
    )

    @on(*RECORDS)
    def record(self, node: Node) -> Iterator[Edit]:
        """Move a type that an expression defines."""
        if node.parent is None or not node.parent.kind.is_expression():
            return
        if not node.cursor.is_anonymous() and node.spelling and "unnamed" not in node.spelling:
            raise self.refuse(node, "a type with a name is defined inside an expression")
        keyword = "union" if node.kind == K.UNION_DECL else "struct"
        name = f"type_{node.start}_"
        head = f"{keyword} {name} {node.text.removeprefix(keyword).lstrip()}; "
        yield insert(node.top().start, head, self.name)
        yield replace(node.span, self.name, name)
