"""The files that a campaign leaves as: the page offers them as downloads, the shell by their names."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mteval.analysis.people import files
from mteval.analysis.people.judgements import PREFERENCE, RATED, judgement_frame, judgements_of_campaign
from mteval.annotations import Campaign, Task, to_json
from mteval.annotations.campaign_files import appraise_batches, pearmut_campaign
from mteval.render.bundle import zipped
from mteval.render.frames import frame_csv
from mteval.report.campaign_page import campaign_page


@dataclass(frozen=True)
class Export:
    """A file that a campaign leaves as.

    Parameters
    ----------
    key
        Its name in the shell.
    label
        What the button of the page says.
    suffix
        What the file's name ends with.
    write
        Returns its content.
    """

    key: str
    label: str
    suffix: str
    write: Callable[[], str | bytes]


def exports(campaign: Campaign, tasks: Sequence[Task]) -> Iterator[Export]:
    """Yield the files that a campaign of this protocol leaves as."""

    def judgements() -> str:
        return frame_csv(judgement_frame(judgements_of_campaign(campaign, tasks)))

    yield Export("json", "Download campaign (JSON)", ".json", lambda: to_json(campaign, tasks))
    yield Export("csv", "Download judgements (CSV)", ".csv", judgements)
    yield Export("html", "Download page (HTML)", ".html", lambda: campaign_page(campaign, tasks))
    if campaign.way == "errors":
        yield Export("mqm", "Download errors (WMT TSV)", ".mqm.tsv", lambda: files.mqm_text(campaign, tasks))
        yield Export(
            "seg-rating",
            "Download errors (.seg.rating)",
            ".zip",
            lambda: _zipped(files.rating_files(campaign, tasks)),
        )
    if campaign.way in RATED:
        yield Export(
            "pearmut",
            "Download for Pearmut",
            ".pearmut.zip",
            lambda: _zipped(files.pearmut_export(campaign, tasks)),
        )
    yield Export(
        "appraise", "Download batches for Appraise", ".appraise.json", lambda: appraise_batches(campaign, tasks)
    )
    if campaign.way != PREFERENCE:
        yield Export(
            "pearmut-task", "Download task for Pearmut", ".pearmut.json", lambda: pearmut_campaign(campaign, tasks)
        )


def _zipped(texts: Mapping[str, str]) -> bytes:
    return zipped({name: text.encode() for name, text in texts.items()})
