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
    "wax": 0.1,
    "mtbench": 0.2,
    "framing": 0.15,
    "cebab_aspects": 0.1,
    "summeval": 0.2,
    "10k_prompts": 0.15,
    "cebab_stars": 0.1,
    "lesion": 0.15,
    "lgbteen": 0.2,
}
SCORES = ("summeval", "10k_prompts", "cebab_stars", "lesion")  # the others are categories
PUBLISHED = re.compile(r"(\S+) (\S+) \[\w+\]:\s+Winning Rate=([\d.]+)\s+Advantage Probability=([\d.]+)")


def published(folder: Path) -> dict[tuple[str, str], tuple[str, str]]:
    """Return winning rate and advantage by data set and judge, as printed."""
    notebook = json.loads((folder / NOTEBOOK).read_text(encoding="utf-8"))
    numbers = {}
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            text = "".join(output.get("text", ""))
            for match in PUBLISHED.finditer(text):
                name, judge, rate, advantage = match.groups()
                numbers[name, judge] = (rate, advantage)
    return numbers


def annotations_in(folder: Path, name: str, annotators: str) -> dict[str, dict[str, object]]:
    """Return what each of the ``human`` or ``llm`` annotators of a data set says of each item."""
    path = folder / "data" / name / f"{annotators}_annotations.json"
    return json.loads(path.read_text(encoding="utf-8"))


def computed(folder: Path, name: str) -> Iterator[tuple[str, str, str]]:
    """Yield each judge with its winning rate and advantage."""
    people = annotations_in(folder, name, "human")
    judges = annotations_in(folder, name, "llm")
    items = sorted({item for annotations in people.values() for item in annotations})
    place_of = {item: place for place, item in enumerate(items)}
    code_of = dict[object, float]()  # categories by order of appearance

    def values(annotations: dict[str, object]) -> np.ndarray:
        """Return a number for each item, NaN where an annotator says nothing."""
        row = np.full(len(items), np.nan)
        for item, value in annotations.items():
            if item not in place_of:
                continue
            if name in SCORES:
                row[place_of[item]] = float(str(value))
            else:
                row[place_of[item]] = code_of.setdefault(value, float(len(code_of)))
        return row

    raters = np.array([values(annotations) for annotations in people.values()])
    clusters = np.arange(len(items))  # every item by itself
    is_category = name not in SCORES
    for judge, annotations in judges.items():
        against, *_ = against_raters(values(annotations), raters, clusters, MARGINS[name], 0.9, is_category)
        compared = [rater for rater in against if rater is not None]
        wins = benjamini_yekutieli(np.array([rater.p_value for rater in compared])) <= 0.05
        advantage = np.mean([rater.judge for rater in compared])
        yield judge, f"{wins.mean():.2f}", f"{advantage:.2f}"


def main(folder: Path) -> None:
    """Print both, and how many are equal."""
    published_numbers = published(folder)
    n_judges = 0
    n_equal = 0
    for name in MARGINS:
        if not (folder / "data" / name / "llm_annotations.json").is_file():
            continue
        for judge, *ours in computed(folder, name):
            theirs = published_numbers[name, judge]
            n_judges += 1
            n_equal += tuple(ours) == theirs
            print(f"{name:14} {judge:14} {ours[0]} {ours[1]}   published: {theirs[0]} {theirs[1]}")
    print(f"{n_equal} of {n_judges} judges equal the published numbers")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
