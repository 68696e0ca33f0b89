"""Frequencies and terminology lists, as they are written and as they should not be."""

import pytest

from mteval.base.errors import InputError
from mteval.readers.formats.word_lists import read_frequencies, read_terms

TBX = """<?xml version="1.0"?>
<martif type="TBX"><text><body>
<termEntry id="1">
 <langSet xml:lang="de"><tig><term>Schiff</term></tig><tig><term>Kahn</term></tig></langSet>
 <langSet xml:lang="en"><tig><term>ship</term></tig><ntig><termGrp><term>vessel</term></termGrp></ntig></langSet>
 <langSet xml:lang="fr"><tig><term>navire</term></tig></langSet>
</termEntry></body></text></martif>
"""
TBX_3 = (
    '<tbx xmlns="urn:iso:std:iso:30042:ed-2"><text><body><conceptEntry><langSec xml:lang="en-GB"><termSec>'
    "<term>lorry</term></termSec></langSec><langSec xml:lang='de'><termSec><term>Lastwagen</term></termSec></langSec>"
    "</conceptEntry></body></text></tbx>"
)


def words_of(lines):
    return (word for line in lines for word in line.split())


def test_a_counts_file_and_a_corpus_give_frequencies() -> None:
    assert read_frequencies(["the\t10", "a b\t2", "", "the\t1"], "counts", words_of) == {"the": 11, "a b": 2}
    assert read_frequencies(["the cat", "the dog"], "corpus", words_of) == {"the": 2, "cat": 1, "dog": 1}
    with pytest.raises(InputError, match="found 'dog'"):
        read_frequencies(["the\t10", "dog"], "counts", words_of)
    with pytest.raises(InputError, match="no words"):
        read_frequencies(["", " "], "corpus", words_of)


def test_tables_and_tbx_give_the_translations_of_terms() -> None:
    assert read_terms("Schiff\tship\nBoot\tboat\tdinghy\nSchiff\tvessel\n", "t.tsv") == {
        "Schiff": ("ship", "vessel"), "Boot": ("boat", "dinghy"),
    }  # fmt: skip
    assert read_terms("ship\nboat\n", "list") == {"ship": ("ship",), "boat": ("boat",)}
    both = {"Schiff": ("ship", "vessel"), "Kahn": ("ship", "vessel")}
    assert read_terms(TBX, "t.tbx") == read_terms(TBX, "t.tbx", "de-en") == both
    assert read_terms(TBX, "t.tbx", "fr-de") == {"navire": ("Schiff", "Kahn")}
    assert read_terms(TBX_3, "t.tbx", "de-en") == {"Lastwagen": ("lorry",)}


def test_languages_of_a_test_set_with_regions_find_terms_of_every_region() -> None:
    assert read_terms(TBX_3, "t.tbx", "de_AT-en_US") == {"Lastwagen": ("lorry",)}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "No terms found"),
        ("<martif><text/></martif>", "No terms found"),
        ("<martif", "not well-formed"),
        ('<!DOCTYPE a [<!ENTITY x "y">]><martif>&x;</martif>', "entities"),
    ],
)
def test_a_list_without_terms_says_what_is_expected(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        read_terms(text, "terms")
