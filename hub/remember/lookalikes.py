"""Names that look like others: with signs nobody sees, or letters of an alphabet that pass for another's."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from hub.errors import Incorrect
from hub.requests import Thing

_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_STRUCK = re.compile("[\u0334-\u0338\u20d0-\u20e2\u20e4-\u20f0]")
_JOINERS = frozenset("\u200c\u200d")
_VARIANTS = frozenset("\ufe0e\ufe0f")
# Scripts in whose spelling joiners have a part.
_JOINED = set("ARABIC DEVANAGARI BENGALI GUJARATI GURMUKHI KANNADA MALAYALAM ORIYA SINHALA TAMIL TELUGU".split())

_APART = re.compile(r"[\W_\d]+")
_FOREIGN = set("CYRILLIC ARMENIAN CHEROKEE COPTIC GEORGIAN LISU GOTHIC".split())
# Letters that pass for Latin ones. Greek is written beside Latin, as in α7 or μTorrent, and only these deceive there.
_PASSING = frozenset("аеорсухіјѕһԁԛԝүӏьАВЕКМНОРСТУХІЈЅҮӀԌԜοινρυκτχαωΑΒΕΖΗΙΚΜΝΟΡΤΥΧօսոհցզյՕՍ")
_FEW = 2
"""So many letters alone are a sign or an initial, and pass for no word."""


def check_named(named: str | Thing | None, where: str) -> None:
    """Raises Incorrect `lookalike_name` for a name that may be taken for another one.

    INVARIANT: it depends on the name alone, and on nothing that anybody has recorded.
    """
    name = named if isinstance(named, str) or named is None else named.name
    what = None if name is None else _wrong_with(name)
    if what is not None:
        fix = "write it as it is spelled, in the letters of one alphabet"
        raise Incorrect("lookalike_name", f"a name {what}", fix, where=where)


@lru_cache(maxsize=4096)
def _wrong_with(name: str) -> str | None:
    if name.isascii():
        return None
    text = unicodedata.normalize("NFC", name)
    if any(not _is_spelling(text, found.start()) for found in _UNSEEN.finditer(text)) or _STRUCK.search(text):
        return "holds signs that nobody sees"
    words = _APART.split(unicodedata.normalize("NFKC", text))
    latin = any(_is_latin(letter) for word in words for letter in word)
    if latin and any(_passes(word) for word in words):
        return "mixes letters of alphabets that look alike"
    return None


def _is_spelling(text: str, at: int) -> bool:
    """Joiners stand within some scripts, and between emoji; marks of variation after a sign."""
    before, after = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    if text[at] in _VARIANTS:
        return _is_sign(before)
    joined = _is_sign(before or " ") or before in _VARIANTS
    return text[at] in _JOINERS and after != "" and (joined or _script(before or " ") in _JOINED)


def _is_sign(char: str) -> bool:
    return char != "" and (unicodedata.category(char) in ("So", "Sk", "Sm") or char in "#*0123456789")


def _passes(word: str) -> bool:
    """Whether a word holds Latin letters and others that pass for such, or is made of the latter alone."""
    latin = any(map(_is_latin, word))
    others = [letter for letter in word if letter in _PASSING or (latin and _script(letter) in _FOREIGN)]
    return bool(others) and (latin or (len(others) == len(word) > _FEW))


def _is_latin(letter: str) -> bool:
    return letter.isascii() or _script(letter) == "LATIN"


def _script(char: str) -> str:
    return unicodedata.name(char, "").partition(" ")[0]
