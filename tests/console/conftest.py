from tests.cli.conftest import porter, run

__all__ = ["porter", "run"]
