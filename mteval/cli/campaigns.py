"""``mteval campaigns``: make, start, list, close and export annotation campaigns."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from mteval.analysis.people.new_campaigns import (
    PROTOCOL_NAMES,
    Form,
    NewCampaign,
    campaign_of_medians,
    read_categories,
    read_practice,
)
from mteval.analysis.scoring import Scored, score_experiment
from mteval.annotations import (
    DEFAULT_TYPOLOGY,
    AnnotationStore,
    Campaign,
    Control,
    Listed,
    Plan,
    Task,
    from_json,
    open_store,
    to_json,
)
from mteval.annotations.campaigns import CONTRASTIVE, FEWEST_BESIDE
from mteval.base.errors import DataError, SettingsError
from mteval.base.words import agreeing, counted, listed
from mteval.cli import output_options as output
from mteval.cli.console import (
    STANDARD_OUTPUT,
    add_truth,
    examples,
    file_to_write,
    keep_inputs,
    say,
    tell,
    write_files,
    write_text,
)
from mteval.cli.metric_options import add_metric_options, chosen_metrics
from mteval.cli.system_options import Systems, add_system_files, add_test_set, read_systems
from mteval.metrics import resolve
from mteval.readers.disk import file_at
from mteval.readers.formats.text import decode
from mteval.report.campaign_exports import exports
from mteval.values.asker import OPERATOR
from mteval.values.service import ANNOTATOR, COORDINATOR

PROTOCOLS = tuple(PROTOCOL_NAMES)
KEYS = ("json", "csv", "html", "mqm", "seg-rating", "pearmut", "appraise", "pearmut-task")
KEY_OF_SUFFIX = {".json": "json", ".csv": "csv", ".html": "html", ".tsv": "mqm"}


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the options of each action; without one, campaigns are listed."""
    parser.description = "Make, start, list, close and export annotation campaigns."
    parser.epilog = examples(
        "campaigns new preference.json --protocol preference --refs ref.txt --system A A.txt --system B B.txt"
        " --annotators ann bob",
        "campaigns start preference.json --url https://lab.example/mteval",
        "campaigns status",
        "campaigns export 'Blind preference' judgements.csv",
    )
    parser.set_defaults(do=_list, names=[])
    _add_url(parser)
    actions = parser.add_subparsers(metavar="ACTION", parser_class=type(parser))
    _add_new(actions.add_parser("new", help="make a campaign file from outputs", allow_abbrev=False), words)

    start = actions.add_parser("start", help="store a campaign file and print its links", allow_abbrev=False)
    start.add_argument("campaign", type=Path, metavar="FILE", help="campaign file of mteval (.json)")
    _add_url(start)
    start.set_defaults(do=_start)

    status = actions.add_parser("status", help="list campaigns with their progress and links", allow_abbrev=False)
    status.add_argument("names", nargs="*", metavar="NAME", help="names of campaigns (default: all)")
    _add_url(status)
    status.set_defaults(do=_list)

    close = actions.add_parser("close", help="make a campaign read-only", allow_abbrev=False)
    close.add_argument("campaign", metavar="CAMPAIGN", help="name of a campaign")
    close.set_defaults(do=_close)

    export = actions.add_parser("export", help="write a campaign with its answers to a file", allow_abbrev=False)
    export.add_argument("campaign", metavar="CAMPAIGN", help="name of a campaign, or a campaign file (.json)")
    export.add_argument("file", type=file_to_write, metavar="FILE", help="file to write")
    text = "default: by the file's name; .json campaign, .csv judgements, .html page, .tsv WMT's MQM table"
    export.add_argument("--as", choices=KEYS, dest="key", help=text)
    export.set_defaults(do=_export)


def _add_url(parser: argparse.ArgumentParser) -> None:
    """Add ``--url``."""
    text = "address of the dashboard (default: %(default)s)"
    parser.add_argument("--url", default="http://127.0.0.1:8501", help=text)


def _add_new(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the options of ``new``."""
    add_system_files(parser, words)
    parser.usage = "%(prog)s FILE --protocol P --annotators NAME… [--refs REF…] --system NAME RUN… [option…]"
    parser.description = (
        "Draw segments from the median run of each system, assign them to annotators, and write a campaign file."
    )
    parser.add_argument("file", type=file_to_write, metavar="FILE", help="campaign file to write (.json)")
    group = parser.add_argument_group("campaign")
    text = f"{', '.join(PROTOCOLS)}"
    group.add_argument("--protocol", choices=PROTOCOLS, required=True, metavar="P", help=text)
    group.add_argument("--annotators", nargs="+", required=True, metavar="NAME", help="who judges")
    group.add_argument("--name", default="", help="name that annotators see (default: the protocol)")
    group.add_argument("--annotate", nargs="+", default=[], metavar="SYSTEM", help="systems to judge (default: all)")
    add_test_set(group)
    text = "test set on which the median run is chosen (default: the annotated one)"
    group.add_argument("--median-on", metavar="NAME", help=text)
    group.add_argument("--instructions", type=Path, metavar="FILE", help="text shown to annotators")
    text = "table of practice texts with known answers; columns source, output and others (docs/annotations.md)"
    group.add_argument("--practice", type=Path, metavar="FILE", help=text)
    text = "errors: table of categories and weights; columns category, minor, major, critical (default: WMT's)"
    group.add_argument("--categories", type=Path, metavar="FILE", help=text)
    text = "esa, contrastive: start from the errors that this metric marks in --scores-…"
    group.add_argument("--mark-by", default="", metavar="METRIC", help=text)
    group = parser.add_argument_group("sample")
    group.add_argument("--random", type=int, default=30, metavar="N", help="random segments (default: %(default)s)")
    text = "most improved segments, of two systems (default: %(default)s)"
    group.add_argument("--improved", type=int, default=0, metavar="N", help=text)
    text = "most declined segments, of two systems (default: %(default)s)"
    group.add_argument("--declined", type=int, default=0, metavar="N", help=text)
    add_truth(group, "--informative", "draw segments more often if the metric tells the systems apart there")
    add_truth(group, "--whole-documents", "draw whole documents until they have --random segments")
    text = "segments that everyone judges; the others go to one annotator each (default: all)"
    group.add_argument("--shared", type=int, metavar="N", help=text)
    text = "attention checks per annotator (default: %(default)s)"
    group.add_argument("--checks", type=int, default=0, metavar="N", help=text)
    text = f"contrastive: outputs side by side (default: {FEWEST_BESIDE})"
    group.add_argument("--beside", type=int, default=0, metavar="N", help=text)
    add_truth(group, "--adaptive", "contrastive: show systems that scored well so far more often")
    group.add_argument("--seed", type=int, default=Plan.seed, help="default: %(default)s")
    add_metric_options(parser, ("bleu",), words)
    output.add_run_word(group)
    output.add_computing_options(parser)
    parser.set_defaults(do=_new)


def run(options: argparse.Namespace) -> None:
    """Run the chosen action.

    Raises
    ------
    MtevalError
        On bad input.
    """
    options.do(options)


def _new(options: argparse.Namespace) -> None:
    """Write a campaign file, and print what annotators will be asked."""
    if options.protocol != "errors" and options.categories:
        raise SettingsError("--categories needs --protocol errors.")
    if options.protocol != CONTRASTIVE and (options.beside or options.adaptive):
        raise SettingsError("--beside and --adaptive need --protocol contrastive.")
    systems = read_systems(options)
    read = (options.instructions, options.practice, options.categories)
    keep_inputs(path for path in read if path is not None)
    new = _made(options, systems)
    write_text(options.file, to_json(new.campaign, new.tasks))
    tell(_said(new))


def _said(new: NewCampaign) -> str:
    """Return what annotators will be asked."""
    outputs = listed([f"run {output.run} of {output.system}" for output in new.campaign.outputs])
    text = f"{counted(new.n_asked, 'judgement')} on {counted(len(new.sample), 'segment')}: {outputs}."
    if new.n_same:
        are_ties = agreeing(new.n_same, "is a tie", "are ties")
        text += f" {counted(new.n_same, 'pair')} of the same text {are_ties} without a judgement."
    return text


def _made(options: argparse.Namespace, systems: Systems) -> NewCampaign:
    """Return the campaign that the options describe."""
    instructions = ""
    if options.instructions:
        instructions = _text_of(options.instructions)
    practice: tuple[Control, ...] = ()
    if options.practice:
        practice = read_practice(_text_of(options.practice), str(options.practice))
    typology = DEFAULT_TYPOLOGY
    if options.categories:
        typology = read_categories(_text_of(options.categories), str(options.categories))
    metrics = chosen_metrics(options, systems.loaded)
    settings = output.settings_of(options, metrics, systems.experiment)
    read_on = systems.on(options.test_set).experiment.test_sets[0]
    if not read_on.has_texts:
        raise DataError("Only scores are given. Add outputs and references, which annotators read.")
    names = options.annotate or [system.key for system in read_on.systems]
    key_of = {name: key for key, name in systems.names.items()}

    scored_metrics = resolve(settings, systems.experiment.given)
    if not options.mark_by:
        scored_metrics = scored_metrics[:1]
    scored_on: dict[str, tuple[Scored, ...]] = {}
    with output.work_for(options) as work:
        for test_set in {read_on.name, options.median_on or read_on.name}:
            # Whichever metric marks errors, it needs scores of the annotated test set alone
            wanted = scored_metrics if test_set == read_on.name else scored_metrics[:1]
            scored_on[test_set] = score_experiment(systems.on(test_set).experiment, wanted, work)
    plan = Plan(
        random=options.random,
        improvements=options.improved,
        declines=options.declined,
        shared=options.shared,
        seed=options.seed,
        by_document=options.whole_documents,
        checks=options.checks,
        side_by_side=options.beside,
        is_adaptive=options.adaptive,
    )
    form = Form(
        name=options.name,
        annotators=tuple(options.annotators),
        plan=plan,
        is_informative=options.informative,
        instructions=instructions,
        practice=practice,
        typology=typology,
    )
    return campaign_of_medians(
        form,
        options.protocol,
        [key_of.get(name, name) for name in names],
        scored_on[read_on.name],
        scored_on[options.median_on or read_on.name][0],
        settings.runs,
        options.mark_by,
    )


def _text_of(path: Path) -> str:
    """Return the text of a file."""
    file = file_at(path)
    return decode(file.content, file.name)


def _read(path: Path) -> tuple[Campaign, tuple[Task, ...]]:
    """Read a campaign file."""
    return from_json(_text_of(path), str(path))


def _start(options: argparse.Namespace) -> None:
    """Store a campaign, and print its links."""
    campaign, tasks = _read(options.campaign)
    with closing(open_store()) as store:
        store.add(campaign, tasks, OPERATOR)
        for listed_campaign in store.list_campaigns():
            if listed_campaign.uid == campaign.uid:
                _say_campaign(store, listed_campaign, options.url)


def _close(options: argparse.Namespace) -> None:
    """Close a campaign."""
    with closing(open_store()) as store:
        campaign = _named(store, options.campaign)
        store.close_campaign(campaign.uid, OPERATOR, is_closed=True)
        tell(f"Closed the campaign '{campaign.name}'. The page Annotate can reopen it.")


def _list(options: argparse.Namespace) -> None:
    """Print campaigns with their progress and links."""
    with closing(open_store()) as store:
        campaigns = list(store.list_campaigns())
        if options.names:
            campaigns = [_named(store, name) for name in options.names]
        say(counted(len(campaigns), "campaign"))
        for campaign in campaigns:
            say("")
            _say_campaign(store, campaign, options.url)


def _say_campaign(store: AnnotationStore, campaign: Listed, url: str) -> None:
    """Print a campaign's progress and links."""
    page = f"{url.rstrip('/')}/annotate"
    links = store.links(campaign.uid)
    state = ", closed" if campaign.is_closed else ""
    created = campaign.created_at[:10]  # the date
    say(f"{campaign.name} ({campaign.protocol} on {campaign.test_set}, {created}{state})")
    say(f"  coordinators: {page}?{COORDINATOR}={links.coordinator}")
    for annotator, (n_done, n_tasks) in campaign.progress.items():
        link = f"{page}?{ANNOTATOR}={links.annotators[annotator]}"
        say(f"  {annotator}, {n_done} of {n_tasks} done: {link}")


def _named(store: AnnotationStore, name: str) -> Listed:
    """Return the campaign of a name, or of a UID.

    Raises
    ------
    DataError
        If there is none, or several have the name.
    """
    campaigns = store.list_campaigns()
    named = [campaign for campaign in campaigns if name in (campaign.name, campaign.uid)]
    if len(named) == 1:
        return named[0]
    if named:
        uids = ", ".join(campaign.uid for campaign in named)
        raise DataError(f"{counted(len(named), 'campaign')} have the name '{name}'. Give an ID instead: {uids}.")
    known = listed([f"'{campaign.name}'" for campaign in campaigns])
    raise DataError(f"No campaign named '{name}'. Stored: {known}.")


def _export(options: argparse.Namespace) -> None:
    """Write a campaign with its answers."""
    key = options.key or KEY_OF_SUFFIX.get(options.file.suffix.lower())
    if key is None:
        raise SettingsError(f"{options.file}: the name does not say what to write. Add --as {', '.join(KEYS)}.")
    path = Path(options.campaign)
    if path.is_file():
        keep_inputs([path])
        campaign, tasks = _read(path)
    else:
        with closing(open_store()) as store:
            uid = _named(store, options.campaign).uid
            campaign = store.campaign(uid)
            tasks = store.tasks(uid)
    write_of = {export.key: export.write for export in exports(campaign, tasks)}
    if key not in write_of:
        raise SettingsError(f"A campaign of this protocol has no {key}. Choose one of {', '.join(write_of)}.")
    content = write_of[key]()
    if isinstance(content, str):
        write_text(options.file, content)
    elif options.file == STANDARD_OUTPUT:
        raise SettingsError(f"{key} is an archive. Name a file to write.")
    else:
        write_files({options.file: content})
