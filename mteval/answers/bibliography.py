"""What an experiment should cite, as BibTeX: the papers of its metrics and tests, its models, and mteval itself."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from mteval._version import __version__
from mteval.analysis.results import Results
from mteval.answers.methods import cited_sources

# "Holm 1979: A Simple Sequentially Rejective Multiple Test Procedure. Scandinavian Journal of Statistics."
_FULL = re.compile(r"(?P<authors>.+?) (?P<year>\d{4}): (?P<title>.+?)\. (?P<where>.+)\.")
_SPECIAL = re.compile(r"([&%$#_{}])")


@dataclass(frozen=True)
class Paper:
    """An entry: ``authors`` as BibTeX has them, the first one's surname first; ``where`` it appeared."""

    authors: str
    year: int
    title: str
    where: str
    is_article: bool = False

    @property
    def surname(self) -> str:
        """The first author's."""
        return re.split(r",| and ", self.authors)[0].strip("{}")

    @property
    def key(self) -> str:
        """Surname, year and the first long word of the title, in plain letters."""
        word = next((word for word in re.findall(r"\w+", self.title) if len(word) > 3), "")
        plain = unicodedata.normalize("NFKD", f"{self.surname}{self.year}{word}".lower())
        return re.sub(r"[^a-z0-9]", "", plain)

    def is_in(self, source: str) -> bool:
        """Tell whether a reference such as ``Popović 2015, WMT`` means this paper."""
        return re.search(rf"\b{re.escape(self.surname)}\b.*\b{self.year}\b", source) is not None


_PAPERS = (
    Paper(
        "Papineni, Kishore and Roukos, Salim and Ward, Todd and Zhu, Wei-Jing",
        2002,
        "Bleu: a Method for Automatic Evaluation of Machine Translation",
        "Proceedings of ACL",
    ),
    Paper(
        "Goyal, Naman and Gao, Cynthia and Chaudhary, Vishrav and others",
        2022,
        "The Flores-101 Evaluation Benchmark for Low-Resource and Multilingual Machine Translation",
        "Transactions of the ACL",
        is_article=True,
    ),
    Paper("{NLLB Team}", 2022, "No Language Left Behind: Scaling Human-Centered Machine Translation", "arXiv"),
    Paper("Popović, Maja", 2015, "chrF: character n-gram F-score for automatic MT evaluation", "Proceedings of WMT"),
    Paper("Popović, Maja", 2017, "chrF++: words helping character n-grams", "Proceedings of WMT"),
    Paper(
        "Snover, Matthew and Dorr, Bonnie and Schwartz, Richard and Micciulla, Linnea and Makhoul, John",
        2006,
        "A Study of Translation Edit Rate with Targeted Human Annotation",
        "Proceedings of AMTA",
    ),
    Paper(
        "Denkowski, Michael and Lavie, Alon",
        2014,
        "Meteor Universal: Language Specific Translation Evaluation for Any Target Language",
        "Proceedings of WMT",
    ),
    Paper(
        "Doddington, George",
        2002,
        "Automatic Evaluation of Machine Translation Quality Using N-gram Co-Occurrence Statistics",
        "Proceedings of HLT",
    ),
    Paper(
        "Levenshtein, Vladimir I.",
        1966,
        "Binary Codes Capable of Correcting Deletions, Insertions and Reversals",
        "Soviet Physics Doklady",
        is_article=True,
    ),
    Paper(
        "Nießen, Sonja and Och, Franz Josef and Leusch, Gregor and Ney, Hermann",
        2000,
        "An Evaluation Tool for Machine Translation: Fast Evaluation for MT Research",
        "Proceedings of LREC",
    ),
    Paper(
        "Rice, Stephen V.", 1996, "Measuring the Accuracy of Page-Reading Systems", "University of Nevada, Las Vegas"
    ),
    Paper(
        "Tillmann, Christoph and Vogel, Stephan and Ney, Hermann and Zubiaga, Alex and Sawaf, Hassan",
        1997,
        "Accelerated DP Based Search for Statistical Translation",
        "Proceedings of Eurospeech",
    ),
    Paper("{van Rijsbergen}, C. J.", 1979, "Information Retrieval", "Butterworths"),
    Paper(
        "Melamed, I. Dan and Green, Ryan and Turian, Joseph P.",
        2003,
        "Precision and Recall of Machine Translation",
        "Proceedings of NAACL",
    ),
    Paper(
        "Riezler, Stefan and Maxwell, John T.",
        2005,
        "On Some Pitfalls in Automatic Evaluation and Significance Testing for MT",
        "Proceedings of the ACL Workshop on Intrinsic and Extrinsic Evaluation Measures",
    ),
    Paper(
        "Rei, Ricardo and Stewart, Craig and Farinha, Ana C and Lavie, Alon",
        2020,
        "COMET: A Neural Framework for MT Evaluation",
        "Proceedings of EMNLP",
    ),
    Paper(
        "Zhang, Tianyi and Kishore, Varsha and Wu, Felix and Weinberger, Kilian Q. and Artzi, Yoav",
        2020,
        "BERTScore: Evaluating Text Generation with BERT",
        "Proceedings of ICLR",
    ),
    Paper(
        "Juraska, Juraj and Deutsch, Daniel and Finkelstein, Mara and Freitag, Markus",
        2024,
        "MetricX-24: The Google Submission to the WMT 2024 Metrics Shared Task",
        "Proceedings of WMT",
    ),
    Paper(
        "Sellam, Thibault and Das, Dipanjan and Parikh, Ankur",
        2020,
        "BLEURT: Learning Robust Metrics for Text Generation",
        "Proceedings of ACL",
    ),
    Paper(
        "Pu, Amy and Chung, Hyung Won and Parikh, Ankur and Gehrmann, Sebastian and Sellam, Thibault",
        2021,
        "Learning Compact Metrics for MT",
        "Proceedings of EMNLP",
    ),
    Paper(
        "Kocmi, Tom and Federmann, Christian",
        2023,
        "Large Language Models Are State-of-the-Art Evaluators of Translation Quality",
        "Proceedings of EAMT",
    ),
    Paper(
        "Clark, Jonathan H. and Dyer, Chris and Lavie, Alon and Smith, Noah A.",
        2011,
        "Better Hypothesis Testing for Statistical Machine Translation: Controlling for Optimizer Instability",
        "Proceedings of ACL-HLT",
    ),
    Paper("Post, Matt", 2018, "A Call for Clarity in Reporting BLEU Scores", "Proceedings of WMT"),
    Paper(
        "Kocmi, Tom and Zouhar, Vilém and Federmann, Christian and Post, Matt",
        2024,
        "Navigating the Metrics Maze: Reconciling Score Magnitudes and Accuracies",
        "Proceedings of ACL",
    ),
    Paper(
        "Holm, Sture",
        1979,
        "A Simple Sequentially Rejective Multiple Test Procedure",
        "Scandinavian Journal of Statistics",
        is_article=True,
    ),
)


def bibliography(results: Results) -> str:
    """Return the entries of everything that an experiment should cite.

    A metric of another package whose papers are unknown here has an entry with its reference as it states it.
    """
    papers: dict[str, Paper] = {}
    for source in (*results.sources.values(), *cited_sources(results)):
        for paper in papers_of(source):
            papers[paper.key] = paper
    entries = [_software(), *map(_entry, papers.values()), *_models(results)]
    return "\n".join(entries)


def papers_of(source: str) -> tuple[Paper, ...]:
    """Return the papers that a reference of a metric or of the methods names; separated by semicolons."""
    full = _FULL.fullmatch(source)
    parts = source.split(";")
    if full is not None:  # its title or place may have a semicolon
        parts = [source]
    papers: list[Paper] = []
    for part in parts:
        known = [paper for paper in _PAPERS if paper.is_in(part.split(":")[0])]
        # Surnames of co-authors are surnames of other papers' first authors; the first author comes first
        known.sort(key=lambda paper: part.index(paper.surname))
        papers += known[:1]
    if papers or full is None:
        return tuple(papers)
    return (Paper(full["authors"].replace(", ", " and "), int(full["year"]), full["title"], full["where"]),)


def _entry(paper: Paper) -> str:
    """Return a paper as BibTeX."""
    kind = "inproceedings"
    where = "booktitle"
    if paper.is_article:
        kind = "article"
        where = "journal"
    return (
        f"@{kind}{{{paper.key},\n  author = {{{paper.authors}}},\n  title = {{{{{paper.title}}}}},\n"
        f"  {where} = {{{paper.where}}},\n  year = {{{paper.year}}}\n}}\n"
    )


def _software() -> str:
    return (
        "@software{mteval,\n  author = {{The mteval developers}},\n"
        "  title = {{mteval: is one machine-translation system really better than another,"
        f" test-set luck and training luck accounted for?}}}},\n  version = {{{__version__}}}\n}}\n"
    )


def _models(results: Results) -> Iterator[str]:
    """Yield an entry per metric that a model computed: its signature has the model's digest, or a judge's name."""
    for name, signature in results.signatures.items():
        if name not in results.by_models and "|judge:" not in signature:
            continue
        key = re.sub(r"[^a-z0-9]", "", name.lower())
        note = _SPECIAL.sub(r"\\\1", signature)
        title = _SPECIAL.sub(r"\\\1", name)
        yield f"@misc{{model-{key},\n  title = {{{{Model of {title}}}}},\n  note = {{{note}}}\n}}\n"
