"""Judgements from every format, each written out by hand; and WMT's own rating files, whose scores are known."""

import gzip
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from mteval.base.errors import DataError, InputError
from mteval.readers.assembly.judgements import Judged, read_judgements
from mteval.readers.disk import file_at
from mteval.readers.documents import InputFile
from mteval.values.judgements import Judgement, RatedError, unknown_names, weight_of, wmt_weight

PAPER = (
    "annotator\tsystem\tsegment\tdocument\torder\tadequacy\tfluency\n"
    "ann\tA\t1\tnews\t1\t80\t70\nann\tB\t1\tnews\t2\t60\t\nbob\tA\t1\tnews\t1\t55\t50\n"
)
ERROR = {"start": 0, "end": 4, "category": "fluency/punctuation", "severity": "minor", "is_source_error": False}
RATINGS = (
    f"A\t{json.dumps({'errors': [ERROR, ERROR | {'score': 5, 'severity': 'major'}]})}\nA\tNone\n"
    f"B\t{json.dumps({'errors': []})}\tbob\nB\tNone\n"
)
MQM_TABLE = (
    "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\n"
    "A\tnews\t1\t1\tann\ts\t<v>one</v> two\tSource issue\tMajor\n"
    "A\tnews\t1\t1\tann\ts\tone <v>two</v>\tFluency/Punctuation\tMinor\n"
    "A\tnews\t2\t2\tann\ts\tthree\tNo-error\tNo-error\n"
    "A\tnews\t2\t2\tbob\ts\tthree\tNon-translation!\tMajor\n"
)
SPANS = '"[{""start_i"":2,""end_i"":5,""severity"":""major"",""error_type"":null}]"'
ESA = (
    f"eng1,A,12,TGT,eng,deu,87,doc-3#A,False,{SPANS},10.5,11.5\n"
    "eng1,A,13,TGT,eng,deu,100,doc-3#A,False,[],11.5,12.5\n"
    "eng1,A,14,BAD,eng,deu,3,doc-3#A#bad1,False,[],12.5,13.5\n"
    "eng2,B,99,TGT,eng,deu,50,doc-3#B,False,[],1.0,2.0\n"
)
DA = "eng1,A,7,TGT,eng,deu,87,doc-3#A,False,10.5,11.5\neng1,A,8,TGT,eng,deu,80,doc-3#A,True,11.5,12.5\n"


def read(content: str, name: str = "judgements.tsv", **options: object) -> Judged:
    """What is read from one file."""
    return read_judgements([InputFile(name, content.encode())], **options)


def test_table_has_one_row_per_output_and_one_column_per_scale() -> None:
    judged = read(PAPER)

    assert judged.judgements == (
        Judgement("ann", "A", "1", "adequacy", 80.0, "news", 1.0),
        Judgement("ann", "A", "1", "fluency", 70.0, "news", 1.0),
        Judgement("ann", "B", "1", "adequacy", 60.0, "news", 2.0),
        Judgement("bob", "A", "1", "adequacy", 55.0, "news", 1.0),
        Judgement("bob", "A", "1", "fluency", 50.0, "news", 1.0),
    )


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_tables_of_other_forms_say_the_same(form: str) -> None:
    header, *rows = [line.split("\t") for line in PAPER.splitlines()]
    if form == "csv":
        lines = [",".join(row) for row in (header, *rows)]
    else:
        lines = []
        for row in rows:
            record = {column: cell or None for column, cell in zip(header, row, strict=True)}
            lines.append(json.dumps(record))
    text = "".join(f"{line}\n" for line in lines)

    assert read(text, f"judgements.{form}").judgements == read(PAPER).judgements


@pytest.mark.parametrize(
    ("source", "target", "error"),
    [
        ("eins <v>zwei</v> drei", "one two", ("source", 5, 9)),
        ("eins zwei drei", "<v>one</v> two", ("hypothesis", 0, 3)),
        ("eins <v>zwei</v> drei", "<v>one</v> two", ("hypothesis", 0, 3)),  # the judged text is the output
        ("eins zwei drei", "one two", ("hypothesis", 0, 0)),
    ],
    ids=["source", "output", "both", "none"],
)
def test_an_error_stands_where_it_is_marked_and_in_the_output_if_both_texts_are(
    source: str, target: str, error: tuple[str, int, int]
) -> None:
    header = MQM_TABLE.partition("\n")[0]
    row = f"A\tnews\t1\t1\tann\t{source}\t{target}\tAccuracy\tMajor"

    (judgement,) = read(f"{header}\n{row}\n").judgements
    (marked,) = judgement.errors
    assert (marked.side, marked.start, marked.end) == error
    assert judgement.hypothesis == "one two"


def test_a_scale_in_rows_is_the_same_as_in_columns() -> None:
    text = "rater,sys,sid,aspect,score\nann,A,1,adequacy,80\nann,A,1,fluency,70\n"
    adequacy = Judgement("ann", "A", "1", "adequacy", 80.0)
    fluency = Judgement("ann", "A", "1", "fluency", 70.0)

    assert read(text).judgements == (adequacy, fluency)
    assert [judgement.scale for judgement in read(text, scales=["fluency"]).judgements] == ["fluency"]

    with_runs = "annotator,system,run,segment,score\nann,A,seed1,1,80\n"
    assert read(with_runs).judgements == (Judgement("ann", "A", "1", "score", 80.0, run="seed1"),)


def test_any_scale_can_be_named_and_turned() -> None:
    text = "annotator,system,segment,effort,seconds\nann,A,1,3,10\n"

    judged = read(text, scales=["effort"], lower_is_better=["effort"])

    (judgement,) = judged.judgements
    assert (judgement.scale, judgement.value) == ("effort", -3.0)
    assert "seconds" in judged.notes[0].text


def test_several_annotators_and_repeats_of_a_segment_are_accepted() -> None:
    judged = read("annotator,system,segment,score\nann,A,1,3\nann,A,1,5\nbob,A,1,4\n")

    assert [judgement.value for judgement in judged.judgements] == [3.0, 5.0, 4.0]


def test_rating_files_count_the_segments_of_each_system_and_name_the_rater() -> None:
    first, second = read(RATINGS, "zh-en.mqm.rater7.seg.rating").judgements

    assert (first.annotator, first.system, first.segment, first.value) == ("rater7", "A", "1", -5.1)
    assert first.errors[0] == RatedError("fluency/punctuation", "minor", "hypothesis", 0, 4)
    assert (second.annotator, second.system, second.segment, second.value) == ("bob", "B", "1", 0.0)


def test_wmts_table_of_errors_is_one_judgement_an_output_and_rater() -> None:
    first, second, third = read(MQM_TABLE).judgements

    assert (first.annotator, first.segment, first.value, first.document) == ("ann", "1", -0.1, "news")
    assert (second.annotator, second.segment, second.value, second.document) == ("ann", "2", 0.0, "news")
    assert (third.annotator, third.segment, third.value, third.document) == ("bob", "2", -25.0, "news")


def test_esa_has_scores_and_spans_without_quality_control() -> None:
    judged = read(ESA, "esa.csv")

    first, second, third = judged.judgements
    assert (first.annotator, first.segment, first.value, first.document) == ("eng1", "doc-3:1", 87.0, "doc-3")
    assert (second.annotator, second.segment, second.value, second.document) == ("eng1", "doc-3:2", 100.0, "doc-3")
    assert (third.annotator, third.segment, third.value, third.document) == ("eng2", "doc-3:1", 50.0, "doc-3")
    assert first.errors == (RatedError("", "major", "hypothesis", 2, 6, in_units=True),)
    assert "Ignored: 1 quality-control row" in judged.notes[0].text


def test_rows_of_documents_need_no_times_behind_them() -> None:
    (judgement,) = read("ann,A,1,TGT,heb,eng,70,doc-3,False\n", "da.csv").judgements

    assert (judgement.segment, judgement.value, judgement.order) == ("doc-3:1", 70.0, None)


def test_direct_assessment_ignores_scores_of_whole_documents() -> None:
    judged = read(DA, "da.csv")

    (judgement,) = judged.judgements
    assert (judgement.system, judgement.value, judgement.order) == ("A", 87.0, 10.5)
    assert "of whole documents" in judged.notes[0].text


@pytest.mark.parametrize("batch", ["", ",4,77"])
def test_direct_assessment_without_documents_names_segments_by_number(batch: str) -> None:
    rows = [f"eng1,A,68,TGT,eng,deu,10,1.5,2.5{batch}", f"eng1,A,61,REF,eng,deu,90,2.5,3.5{batch}"]

    judged = read("\n".join(rows), "da.csv")

    assert judged.judgements == (Judgement("eng1", "A", "68", "score", 10.0, None, 1.5),)
    assert "1 quality-control row" in judged.notes[0].text


def test_a_pair_with_remarks_is_two_scores() -> None:
    text = "eng1,A,47,TGT,eng,deu,10,serious,None,1.5,2.5\neng1,B,47,TGT,eng,deu,20,serious,None,1.5,2.5"

    first, second = read(text, "pairs.csv").judgements

    assert (first.system, first.segment, first.value, first.order) == ("A", "47", 10.0, 1.5)
    assert (second.system, second.segment, second.value, second.order) == ("B", "47", 20.0, 1.5)


def test_errors_with_their_kinds_are_mqm() -> None:
    spans = [
        {"start_i": 3, "end_i": 3, "severity": "minor", "error_type": ["Linguistic conventions", "Punctuation"]},
        {"start_i": "missing", "end_i": "missing", "severity": "major", "error_type": None},
    ]
    cell = json.dumps(spans).replace('"', '""')
    row = f'eng1,A,1,TGT,eng,deu,0,doc#1,False,"{cell}",1.5,2.5,4,77'

    (judgement,) = read(row, "mqm.csv").judgements

    assert (judgement.scale, judgement.value, judgement.order) == ("mqm", -6.0, 1.5)
    assert judgement.errors == (
        RatedError("Linguistic conventions/Punctuation", "minor", "hypothesis", 3, 4, in_units=True),
        RatedError("omission", "major"),
    )


def test_errors_without_kinds_are_no_mqm_even_if_words_are_missing() -> None:
    spans = [
        {"start_i": 3, "end_i": 3, "severity": "minor", "error_type": None},
        {"start_i": "missing", "end_i": "missing", "severity": "major", "error_type": None},
    ]
    cell = json.dumps(spans).replace('"', '""')
    (judgement,) = read(f'eng1,A,1,TGT,eng,deu,80,doc#1,False,"{cell}",1.5,2.5,4,77', "esa.csv").judgements
    assert (judgement.scale, judgement.value) == ("score", 80.0)


def test_files_of_scores_are_judgements_of_one() -> None:
    text = "A\t-1.0\nB\t0.0\nA\tNone\nB\t-5\n"

    judgements = read(text, "he-en.mqm.seg.score", documents=["x", "y"]).judgements

    assert {judgement.scale for judgement in judgements} == {"mqm"}
    first, second, third = judgements
    assert (first.system, first.segment, first.value, first.document) == ("A", "1", -1.0, "x")
    assert (second.system, second.segment, second.value, second.document) == ("B", "1", 0.0, "x")
    assert (third.system, third.segment, third.value, third.document) == ("B", "2", -5.0, "y")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("one line\nanother\n", r"line 1: No judgements.*Expected a table"),
        ("system,segment,note\nA,1,good\n", r"line 1: No column of judgements.*: system, segment, note"),
        ("system,segment,adequacy\n", r"line 1: .*no judgements, only a head"),
        ("annotator,system,segment,score\nann,A,,3\n", r"line 2: The row has no system or no segment"),
        ("annotator,system,segment,score\nann,A,1,good\n", r"line 2: The score is 'good'"),
        ('A\t{"errors": []}\nA\t{"errors": 3}x\n', r"line 2: The rating is .* a system, a tab"),
        ('A\t{"errors": [{"category": "other"}]}\n', r"line 1: An error is .* an object with a severity"),
        ('A\t{"errors": []}\nA\n', r"line 2: The line has 1 cell"),
        (ESA.replace(",87,", ",,"), r"line 1: The row has no score"),
        (ESA + "eng2,B\n", r"line 5: 2 cells, but earlier rows have 12"),
        ("annotator,system,segment,score\nann,A,1,1e308\n", r"Segment '1' of 'A', judged by 'ann', has score 1e\+308"),
    ],
)
def test_invalid_file_is_an_error_with_its_line(content: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(content, "a.txt")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ('{"severity": "minor", "score": 1e999}', "the score 'inf'"),
        ('{"severity": "minor", "score": NaN}', "the score 'nan'"),
        ('{"severity": "minor", "category": "\\ud800"}', "half a surrogate pair"),
        ('{"severity": "' + "m" * 5_000 + '"}', "has 5,000 characters"),
    ],
)
def test_errors_have_finite_weights_and_names_of_whole_characters(error: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read(f'A\t{{"errors": [{error}]}}\tann\n', "x.seg.rating")
    str(caught.value).encode()  # the message, too, is of whole characters


def test_missing_scale_is_an_error() -> None:
    with pytest.raises(InputError, match="No column named 'fluency'"):
        read("annotator,system,segment,adequacy\nann,A,1,3\n", scales=["fluency"])
    with pytest.raises(DataError, match=r"'effort'.* adequacy and fluency"):
        read(PAPER, lower_is_better=["effort"])


def test_segments_beyond_the_documents_are_an_error() -> None:
    with pytest.raises(InputError, match=r"judged segment 3 of 'A'.* segments 1 to 2"):
        read("annotator,system,segment,score\nann,A,3,1\n", documents=["x", "y"])


@pytest.mark.parametrize(
    ("category", "severity", "weight"),
    [
        ("Accuracy/Mistranslation", "Major", 5), ("style/unnatural or awkward", "minor", 1),
        ("Fluency/Punctuation", "Minor", 0.1), ("Fluency/Punctuation", "Major", 5), ("Non-translation!", "Major", 25),
        ("Source issue", "Major", 0), ("Source error", "Minor", 0), ("Accuracy/Creative Reinterpretation", "Major", 0),
        ("No-error", "No-error", 0), ("Other", "Neutral", 0), ("Other", "Critical", 25), ("Made up", "Minor", 1),
    ],
)  # fmt: skip
def test_weights_are_wmts(category: str, severity: str, weight: float) -> None:
    assert wmt_weight(category, severity) == weight


def test_unknown_categories_and_severities_are_counted() -> None:
    known = RatedError("Other", "Minor")
    unknown = RatedError("Accuracy/Made up", "Minor")
    scored = RatedError("Accuracy/Made up", "Minor", score=2.0)

    assert unknown_names([known, unknown, unknown, scored]) == {("Accuracy/Made up", "Minor"): 2}
    assert weight_of(unknown) == 1.0
    assert weight_of(scored) == 2.0
    assert read(MQM_TABLE.replace("Source issue", "Made up")).unknown == (("Made up", "Major", 1),)


@pytest.mark.real_data
@pytest.mark.parametrize("carried", [True, False])
def test_mqm_equals_the_official_scores_of_all_rated_outputs(data_directory: Path, carried: bool) -> None:
    """By the scores that the files carry, and by WMT's weights without them; raters are averaged."""
    folder = data_directory / "data" / "wmt23-zh-en-ratings"

    judged = read_judgements(file_at(path) for path in sorted(folder.glob("*.seg.rating.gz")))

    assert judged.unknown == ()
    scores: dict[tuple[str, str], list[float]] = defaultdict(list)
    for judgement in judged.judgements:
        if carried:
            value = judgement.value
        else:
            value = -sum(wmt_weight(error.category, error.severity) for error in judgement.errors)
        scores[judgement.system, judgement.segment].append(value)
    official = read_judgements([file_at(folder / "zh-en.mqm.seg.score.gz")]).judgements
    expected = {(judgement.system, judgement.segment): judgement.value for judgement in official}
    assert len(scores) == 18_829
    np.testing.assert_allclose([np.mean(scores[key]) for key in scores], [expected[key] for key in scores], atol=1e-9)


def test_compressed_files_are_read_as_they_are() -> None:
    file = InputFile("x.rater1.seg.rating.gz", gzip.compress(RATINGS.encode()))
    assert read_judgements([file]).judgements[0].annotator == "rater1"


def test_appraise_items_with_equal_numbers_are_ordered_by_their_digits() -> None:
    items = ["1".zfill(width) for width in range(1, 9)]  # so many that a random order is hardly ever this one
    text = "".join(f"eng1,A,{item},TGT,eng,deu,87,d#A,False,1.0,2.0\n" for item in items)

    judged = read(text, "da.csv")

    assert [judgement.segment for judgement in judged.judgements] == [f"d:{place}" for place in range(8, 0, -1)]
