"""``python -m mteval``."""

import sys

from mteval.cli import main

sys.exit(main())
