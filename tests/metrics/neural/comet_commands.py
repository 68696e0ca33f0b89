"""COMET's own ``comet-score``, several commands in one process, since its packages take seconds to load.

Run as a script by the interpreter that has them: a JSON list of the words of each command comes in.
"""

import json
import sys

from comet.cli.score import score_command

for words in json.load(sys.stdin):
    sys.argv = ["comet-score", *words]
    score_command()
