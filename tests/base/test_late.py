"""Packages that are loaded late give the functions that they give otherwise."""

import subprocess
import sys

LATE = """
import sys
from mteval.base.late import packages_loaded_late
with packages_loaded_late():
    from scipy import special
"""
USED = """
p_value = special.stdtr(5.0, -2.5)
print("scipy.special._support_alternative_backends" in sys.modules)
import scipy.special, scipy.stats
print(special.stdtr is scipy.special.stdtr, p_value == scipy.special.stdtr(5.0, -2.5))
print(special.zeta is scipy.special.zeta, special.comb is scipy.special.comb)
"""


def printed(code: str) -> list[str]:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.splitlines()


def test_special_functions_are_scipys_own_without_the_rest_of_the_package() -> None:
    assert printed(LATE + USED) == ["False", "True True", "True True"]


def test_a_scipy_whose_compiled_functions_have_another_place_is_loaded_as_a_whole() -> None:
    elsewhere = "from mteval.base import late\nlate._COMPILED = 'scipy.special._renamed'\n"
    assert printed(LATE + elsewhere + USED) == ["True", "True True", "True True"]


def test_modules_imported_after_a_special_function_was_used_load_no_more_either() -> None:
    used_before = """
import sys
from mteval.base.late import load_late
load_late(["scipy.special"])
from scipy import special as first
before = first.stdtr(5.0, -2.5)
from scipy import special
"""
    assert printed(used_before + USED) == ["False", "True True", "True True"]
