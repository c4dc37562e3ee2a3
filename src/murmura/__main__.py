"""`python -m murmura` is the command `murmura`."""

from murmura.cli import main

main()
