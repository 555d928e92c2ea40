"""``python -m dbench`` is ``dbench``."""

from dbench.cli import main

main(prog_name="dbench")
