"""Record anew what the commands print: ``python -m tests.golden``."""

import os

from tests.golden import COMMANDS, RECORDED, ROOT, printed

os.chdir(ROOT)
RECORDED.mkdir(exist_ok=True)
for left in RECORDED.glob("*.txt"):
    if left.stem not in COMMANDS:
        left.unlink()
for command in COMMANDS:
    (RECORDED / f"{command}.txt").write_text(printed(command), encoding="utf-8")
