"""``python -m clearsweep``: the program."""

from ._commands import main

if __name__ == "__main__":
    main()
