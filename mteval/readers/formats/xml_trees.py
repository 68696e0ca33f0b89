"""XML of unknown origin as a tree of elements: bounded in size and depth, without entities."""

from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from mteval.base.errors import InputError
from mteval.readers.formats.text import refuse_more

DEEPEST = 64  # nesting of elements
MOST_TAGS = 1_000_000  # ten times as many as in WMT's largest files
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


def parsed_xml(text: str, file: str, forbids_dtd: bool = True) -> Element:
    """Parse XML; a DTD that is only named is never read, and entities are refused in any case."""
    refuse_more(text.count("<"), MOST_TAGS, "tags", file)
    try:
        root: Element = fromstring(text, forbid_dtd=forbids_dtd)
    except ParseError as error:
        raise InputError(f"The XML is not well-formed ({error.msg}). Fix it.", file, error.position[0]) from error
    except DefusedXmlException as error:
        raise InputError("The XML has a DTD or entities, which are not supported. Remove the DOCTYPE.", file) from error
    # Go down from the root, level by level. No element may be left below the deepest level that is allowed.
    level = [root]
    for _ in range(DEEPEST):
        level = [child for element in level for child in element]
    if level:
        raise InputError(f"Elements are nested more than {DEEPEST} deep. Expected fewer than ten.", file)
    return root
