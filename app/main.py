"""Entry point of the `dayhand` command."""

import sys

from app import cli


def main() -> int:
    return cli.run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
