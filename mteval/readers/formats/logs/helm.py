"""Statistics of each instance that HELM writes, without the answers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from mteval.readers.formats.logs.answers import Answer, Notes, Program, mean_of, parsed_log

MODEL = re.compile(r"(?:^|[:,])model=([^,]+)")


def is_helm(head: str, text: str) -> bool:
    """Whether a text is a list of instances with statistics."""
    return head.startswith("[") and '"instance_id"' in head and '"stats"' in head


def read_helm(text: str, file: str, notes: Notes) -> Iterator[Answer]:
    """Read a list of instances; the run's folder names task and model, the suite is the run.

    Trials differ in the examples of the prompt, so they are several answers of one model.
    """
    *folders, _ = file.replace("\\", "/").split("/")
    suite, run_spec = ["", "", *folders][-2:]
    model = MODEL.search(run_spec)

    # Values by instance and metric; a metric of perturbed instances is a metric of its own
    values: dict[str, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for instance in parsed_log(text, file, HELM.name):
        of_instance = values[str(instance["instance_id"])]
        for stat in instance["stats"]:
            perturbation = stat["name"].get("perturbation") or {}
            metric = " ".join(filter(None, (stat["name"]["name"], perturbation.get("name"))))
            of_instance[metric].append(stat.get("mean"))

    for number, (instance_id, of_instance) in enumerate(values.items(), start=1):
        yield Answer(
            number,
            instance_id,
            system=model[1] if model else None,
            run=suite or None,
            test_set=MODEL.sub("", run_spec).strip(":,") or None,
            scores={metric: mean_of(of_trials) for metric, of_trials in of_instance.items()},
        )


HELM = Program("HELM", "statistics as published", is_helm, read_helm)
