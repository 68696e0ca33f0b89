"""Record anew what the commands print and what sections say: ``python -m tests.golden``."""

import os

from mteval.ui.setup.first_page import ANSWER
from tests.golden import COMMANDS, RECORDED, ROOT, printed
from tests.golden.sample_answer import answer_on_the_sample
from tests.golden.told import RECORDED_TOLD, told

os.chdir(ROOT)
RECORDED.mkdir(exist_ok=True)
for left in RECORDED.glob("*.txt"):
    if left.stem not in {*COMMANDS, *RECORDED_TOLD}:
        left.unlink()
for written, names in ((printed, COMMANDS), (told, RECORDED_TOLD)):
    for name in names:
        (RECORDED / f"{name}.txt").write_text(written(name), encoding="utf-8")
ANSWER.write_text(answer_on_the_sample(), encoding="utf-8")
