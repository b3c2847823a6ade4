"""`python -m porter.errors`: print the table of docs/reference/exit-codes.md."""

from porter.errors import exit_code_table

if __name__ == "__main__":
    print(exit_code_table(), end="")
