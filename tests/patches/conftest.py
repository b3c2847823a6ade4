from tests.sync.conftest import home, locked, make_tree

__all__ = ["home", "locked", "make_tree"]
