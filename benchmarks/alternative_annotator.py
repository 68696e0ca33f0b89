"""Compare the alternative annotator test with the numbers that its authors published for their data.

Run ``python -m benchmarks.alternative_annotator FOLDER`` on a copy of their repository (nitaytech/AltTest). It prints
the winning rate and the average advantage of each judge, from its data and from the output that their notebook shows.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mteval.stats.alternative_annotator import against_raters, benjamini_yekutieli

NOTEBOOK = "alt_test_example.ipynb"
MARGINS = {  # as in their notebook
    "wax": 0.1, "mtbench": 0.2, "framing": 0.15, "cebab_aspects": 0.1, "summeval": 0.2, "10k_prompts": 0.15,
    "cebab_stars": 0.1, "lesion": 0.15, "lgbteen": 0.2,
}  # fmt: skip
SCORES = ("summeval", "10k_prompts", "cebab_stars", "lesion")  # the others are categories
PUBLISHED = re.compile(r"(\S+) (\S+) \[\w+\]:\s+Winning Rate=([\d.]+)\s+Advantage Probability=([\d.]+)")


def published(folder: Path) -> dict[tuple[str, str], tuple[str, str]]:
    """Return winning rate and advantage by data set and judge, as printed."""
    cells = json.loads((folder / NOTEBOOK).read_text(encoding="utf-8"))["cells"]
    texts = ["".join(one.get("text", "")) for cell in cells for one in cell.get("outputs", ())]
    found = (match.groups() for text in texts for match in PUBLISHED.finditer(text))
    return {(name, judge): (rate, advantage) for name, judge, rate, advantage in found}


def computed(folder: Path, name: str) -> Iterator[tuple[str, str, str]]:
    """Yield each judge with its winning rate and advantage."""
    people, judges = (
        json.loads((folder / "data" / name / f"{who}_annotations.json").read_text(encoding="utf-8"))
        for who in ("human", "llm")
    )
    items = sorted({item for said in people.values() for item in said})
    places, codes = {item: place for place, item in enumerate(items)}, dict[object, float]()

    def values(said: dict[str, object]) -> np.ndarray:
        row = np.full(len(items), np.nan)
        for item, one in said.items():
            if item in places:
                row[places[item]] = float(str(one)) if name in SCORES else codes.setdefault(one, float(len(codes)))
        return row

    raters = np.array([values(said) for said in people.values()])
    for judge, said in judges.items():
        about = np.arange(len(items)), MARGINS[name], 0.9, name not in SCORES
        found = [one for one in against_raters(values(said), raters, *about)[0] if one is not None]
        wins = benjamini_yekutieli(np.array([one.p_value for one in found])) <= 0.05
        yield judge, f"{wins.mean():.2f}", f"{np.mean([one.judge for one in found]):.2f}"


def main(folder: Path) -> None:
    """Print both, and how many are equal."""
    known, n_equal, n = published(folder), 0, 0
    for name in MARGINS:
        if not (folder / "data" / name / "llm_annotations.json").is_file():
            continue
        for judge, *ours in computed(folder, name):
            theirs = known[name, judge]
            n, n_equal = n + 1, n_equal + (tuple(ours) == theirs)
            print(f"{name:14} {judge:14} {ours[0]} {ours[1]}   published: {theirs[0]} {theirs[1]}")
    print(f"{n_equal} of {n} judges equal the published numbers")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
