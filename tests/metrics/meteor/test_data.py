"""What METEOR reads, where it keeps its index, and what it says where something is missing."""

import gzip
import importlib.metadata
import os
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from random import Random
from types import MethodType

import numpy as np
import pytest

from mteval.base import digests
from mteval.base.errors import DataError, InputError, MissingDependencyError, MtevalError, SettingsError
from mteval.metrics.meteor import Meteor, paraphrases
from mteval.metrics.meteor.data import LANGUAGES
from mteval.metrics.meteor.paraphrases import ROOT, build_table, ensure_index
from mteval.metrics.meteor.words import Synonyms, stemmer_of
from mteval.metrics.text.text_kernels import NOWHERE, child_of
from mteval.values.model import TestSet
from tests.extras import needs_meteor

TABLE = "0.1\na b\nc\n0.2\nd\na b c\n0.3\na b\nd\n0.4\na b\nc\n"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MTEVAL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "meteor"


@pytest.fixture
def table(tmp_path):
    file = tmp_path / "table"
    file.write_text(TABLE)
    return file


def hide(monkeypatch, package, version=None):
    """Let a package look as if it were not installed, or of another version."""
    real = importlib.metadata.Distribution.from_name.__func__

    def from_name(cls, name):
        if name != package:
            return real(cls, name)
        if version is None:
            raise importlib.metadata.PackageNotFoundError(name)
        return type("Found", (), {"version": version})()

    monkeypatch.setattr(importlib.metadata.Distribution, "from_name", classmethod(from_name))


def test_missing_data_error_says_what_to_install(monkeypatch):
    hide(monkeypatch, "pycocoevalcap")
    with pytest.raises(MissingDependencyError, match=r"pip install -e '\.\[meteor\]'"):
        Meteor().prepare(TestSet("any", (("a",),)))
    with pytest.raises(MissingDependencyError, match=r"pip install -e '\.\[meteor\]'"):
        ensure_index()


@needs_meteor
@pytest.mark.parametrize("version", [None, "3.0.1", "1.9.1"])
def test_another_stemmer_release_is_an_error(monkeypatch, version):
    hide(monkeypatch, "snowballstemmer", version)
    with pytest.raises(
        MissingDependencyError, match=f"METEOR.s stem module needs snowballstemmer.*{version or '2'}.*pip install"
    ):
        Meteor().require_data()
    Meteor(modules=("exact",)).require_data()


@needs_meteor
def test_stems_are_those_of_snowballs_english_rules():
    # from the published sample vocabulary of the English stemmer
    stem = stemmer_of("en")
    sample = {"consigned": "consign", "consistory": "consistori", "knightly": "knight", "kneeling": "kneel"}
    assert {word: stem(word) for word in sample} == sample


@needs_meteor
@pytest.mark.parametrize("language", sorted(LANGUAGES.keys() - {"cz", "other"}))
def test_the_compiled_stemmer_gives_the_same_stems(monkeypatch, language):
    letters = "aeiouybcdlmnrst'" + ("абеийостуыья" if language == "ru" else "äåæçéíñőøüğıș")
    endings = ["s", "es", "ies", "ed", "ing", "ly", "ation", "ement", "heit", "lijk", "ment", "ões", "ться"]
    some = Random(language)
    words = ["".join(some.choices(letters, k=some.randint(1, 9))) + some.choice(endings) for _ in range(1_000)]
    words += ["", "running", "running\ud83d", "a\x00ing", "😍ing", "Łódźed"]
    stem = stemmer_of(language)
    assert type(stem) is not MethodType or language == "nl" or find_spec("Stemmer") is None, "not the compiled one"
    found = list(map(stem, words))
    hide(monkeypatch, "PyStemmer")
    plain = stemmer_of(language)
    assert type(plain) is MethodType
    assert found == list(map(plain, words))


@needs_meteor
def test_languages_without_tables_need_files_or_other_modules():
    with pytest.raises(MissingDependencyError, match=r"paraphrase-fr\.gz"):
        Meteor(language="fr").require_data()
    Meteor(language="fr", modules=("exact", "stem")).require_data()
    german = Meteor(language="de", modules=("synonym",), weights=(1,))
    with pytest.raises(MissingDependencyError, match="or remove synonym"):
        german.require_data()


@needs_meteor
def test_missing_paraphrase_file_is_an_error(tmp_path):
    with pytest.raises(SettingsError, match=r"'paraphrase_file'.*nowhere"):
        Meteor(paraphrase_file=tmp_path / "nowhere").require_data()


def test_synonyms_include_those_of_base_forms():
    synonyms = Synonyms.of(
        "go\n1 2\nwent\n9\npass\n3\ngas\n4\nlady\n5\nbe\n6\nwis\n7\nbet\n8\n", "go\ngone went\nbe\nis\n"
    )
    expected = {"went": {1, 2, 9}, "gone": {1, 2}, "is": {6}, "ladies": {5}, "passes": {3}, "gass": set()}
    expected |= {"pass": {3}, "as": set(), "gos": {1, 2}, "betting": set(), "beting": {8}, "unknown": set()}
    assert {word: set(synonyms.sets_of(word)) for word in expected} == expected


def phrases_of(table, numbers):
    """All pairs of a phrase table, by walking the trie from its root."""
    texts = {ROOT: ()}
    for node in range(len(table.last_words)):
        for child in range(table.first_children[node], table.first_children[node + 1]):
            texts[child] = (*texts[node], table.last_words[child])
            if node != ROOT:
                assert child_of(table.last_words, table.first_children, node, table.last_words[child]) == child
    names = {number: word for word, number in numbers.items()}
    words = {node: " ".join(names[number] for number in text) for node, text in texts.items()}
    return {
        words[node]: [words[target] for target in table.targets[table.starts[node] : table.starts[node + 1]]]
        for node in texts
        if table.starts[node] < table.starts[node + 1]
    }


@pytest.mark.parametrize("block", [1, 7, 1000])
def test_the_index_holds_the_pairs_in_the_order_of_the_table(block):
    data = TABLE.encode()
    blocks = [data[start : start + block] for start in range(0, len(data), block)]
    table = build_table(blocks)
    numbers = {word: number for number, word in enumerate(table.words.tobytes().decode().split("\n"))}
    assert phrases_of(table, numbers) == {"a b": ["c", "d", "c"], "d": ["a b c"]}
    for word, number in numbers.items():
        assert table.last_words[number + 1] == number, word
    assert child_of(table.last_words, table.first_children, numbers["c"] + 1, numbers["a"]) == NOWHERE


def test_the_index_holds_many_words_and_long_lines():
    draw = np.random.default_rng(1)
    # more words, letters and nodes than the tables hold at first, and a line longer than they are
    lengths = draw.integers(1, 8, size=20_000)
    phrases = [" ".join(f"numbered-word-{number}" for number in draw.integers(10**6, size=n)) for n in lengths]
    phrases[1] = " ".join(f"long{'-' * 40}{number}" for number in range(2000))
    pairs = list(zip(phrases[::2], phrases[1::2], strict=True))
    text = "".join(f"1\n{source}\n{target}\n" for source, target in pairs)
    table = build_table([text.encode()])
    numbers = {word: number for number, word in enumerate(table.words.tobytes().decode().split("\n"))}
    expected = {}
    for source, target in pairs:
        expected.setdefault(source, []).append(target)
    assert phrases_of(table, numbers) == expected


def test_table_that_ends_within_a_pair_is_an_error():
    with pytest.raises(DataError, match="three lines"):
        build_table([b"0.1\na\nb\n0.2\nc\n"])


def test_the_index_is_cached_by_content(cache, table, tmp_path):
    index = ensure_index(source=table)
    (tmp_path / "copy").write_text(TABLE)
    assert ensure_index(source=tmp_path / "copy").path == index.path
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(TABLE.encode()))
    other = ensure_index(source=packed)
    for field in ("words", "last_words", "first_children", "starts", "targets"):
        np.testing.assert_array_equal(getattr(other.table, field), getattr(index.table, field))
        assert not getattr(index.table, field).flags.writeable
    table.write_text(TABLE + "0.5\nd\nd\n")
    assert ensure_index(source=table).path != index.path
    assert sorted(cache.iterdir()) == sorted({index.path, other.path, ensure_index(source=table).path})


def test_concurrent_threads_build_the_index_once(cache, table, monkeypatch):
    built = []
    real = paraphrases.build_table

    def slow(*arguments):
        built.append(1)
        time.sleep(0.2)
        return real(*arguments)

    monkeypatch.setattr(paraphrases, "build_table", slow)
    with ThreadPoolExecutor(4) as pool:
        wanted = [pool.submit(ensure_index, table) for _ in range(4)]
        assert len({future.result().path for future in wanted}) == 1
    assert built == [1]


def test_a_build_that_fails_leaves_nothing_behind(cache, table, monkeypatch):
    def broken(*_):
        raise OSError("disk full")

    monkeypatch.setattr(paraphrases, "_write_table", broken)
    with pytest.raises(MtevalError, match=r"disk full.*MTEVAL_CACHE"):
        ensure_index(source=table)
    assert list(cache.iterdir()) == []


def test_a_damaged_index_is_rebuilt(cache, table):
    path = ensure_index(source=table).path
    whole = path.read_bytes()
    for place in (0, 50, len(whole) // 2, len(whole) - 1):
        changed = bytearray(whole)
        changed[place] ^= 4
        path.write_bytes(changed)
        os.utime(path, ns=(place, place))
        assert ensure_index(source=table).path.read_bytes() == whole
    path.write_bytes(whole[:10])
    assert ensure_index(source=table).path.read_bytes() == whole


def test_unreadable_table_error_names_the_file(cache, tmp_path):
    with pytest.raises(InputError, match="nowhere"):
        ensure_index(source=tmp_path / "nowhere")
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(TABLE.encode())[:-12])
    with pytest.raises(InputError, match=r"cut\.gz"):
        ensure_index(source=cut)


@needs_meteor
def test_the_packaged_index_is_mapped_quickly(tmp_path):
    ensure_index()
    paraphrases._opened.cache_clear()
    digests._digest_of_state.cache_clear()
    start = time.process_time()
    index = ensure_index()
    assert len(index.table.targets) == 5_274_084
    assert len(index.numbers) == 43_139
    assert time.process_time() - start < 0.5  # 0.07 s, with room for a slow machine
