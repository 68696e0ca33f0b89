"""The packages' own ``comet-score`` and ``bert-score``, many in one process, since that takes seconds to load.

Run as a script by the interpreter that has them: a JSON list of the words of each command comes in. What commands print
goes out, a line of its own after each.
"""

import json
import sys

for command, *words in json.load(sys.stdin):
    sys.argv = [command, *words]
    if command == "comet-score":
        from comet.cli.score import score_command

        score_command()
    else:
        from bert_score_cli.score import main

        main()
    print("end of a command", flush=True)
