"""Record what subset2evaluate and ppi-python answer; run in environments of their own.

``python record_people_oracles.py subset2evaluate`` and ``python record_people_oracles.py ppi`` write a file each beside
this one, with the versions. Both start from the same whole numbers, so that no generator matters.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

N, N_JUDGED = 240, 90
HUMAN = [((i * 7919) % 101) / 10 - 5 for i in range(N)]
METRIC = [0.5 * HUMAN[i] + ((i * 104729) % 97) / 12 - 4 for i in range(N)]
SCORES = {  # of three systems on twenty segments
    system: [((i + 3) * factor) % 53 / 7 for i in range(20)] for system, factor in (("A", 17), ("B", 29), ("C", 41))
}


def subset2evaluate() -> dict[str, object]:
    """Return the order by the variance of a metric, most informative first."""
    from subset2evaluate import select_subset  # type: ignore[import-not-found]

    data = [{"i": i, "scores": {name: {"m": column[i]} for name, column in SCORES.items()}} for i in range(20)]
    found = select_subset.basic(data, method="metric_var", metric="m")
    return {"version": version("subset2evaluate"), "order": [item["i"] for item in found]}


def ppi() -> dict[str, object]:
    """Return the mean and its interval by PPI++, tuned, with the segments that are not judged as unlabelled data."""
    import numpy as np
    import ppi_py  # type: ignore[import-not-found]

    human, metric = np.array(HUMAN), np.array(METRIC)
    about = human[:N_JUDGED], metric[:N_JUDGED], metric[N_JUDGED:]
    low, high = ppi_py.ppi_mean_ci(*about, alpha=0.05)
    point = ppi_py.ppi_mean_pointestimate(*about)
    ends = [float(np.squeeze(one)) for one in (point, low, high)]
    return {"version": version("ppi-python"), "mean": ends[0], "low": ends[1], "high": ends[2]}


if __name__ == "__main__":
    name = sys.argv[1]
    text = json.dumps({"subset2evaluate": subset2evaluate, "ppi": ppi}[name](), indent=1)
    Path(__file__).with_name(f"recorded_{name}.json").write_text(text + "\n", encoding="utf-8")
