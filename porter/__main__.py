"""`python -m porter` and the `porter` console script."""

from porter.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
