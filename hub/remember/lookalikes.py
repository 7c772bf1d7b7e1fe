"""Names that look like others: with signs nobody sees, or letters of an alphabet that pass for another's."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from hub.errors import Incorrect
from hub.requests import Thing

# Fillers, blanks and marks of variation; what else nobody sees is told by its category.
_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
_UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co", "Zl", "Zp"})
_EMOJI = range(0x1F000, 0x1FB00)  # of which there are new ones every year
_STRUCK = re.compile("[\u0334-\u0338\u20d0-\u20e2\u20e4-\u20f0]")
_JOINERS = frozenset("\u200c\u200d")
_VARIANTS = frozenset("\ufe0e\ufe0f")
# Scripts in whose spelling joiners have a part.
_JOINED = set("ARABIC DEVANAGARI BENGALI GUJARATI GURMUKHI KANNADA MALAYALAM ORIYA SINHALA TAMIL TELUGU".split())

_APART = re.compile(r"[\W_\d]+")
# Scripts that are written beside Latin letters within one word; letters of any other pass for Latin ones there.
_BESIDE = set(
    "LATIN CJK IDEOGRAPHIC HIRAGANA KATAKANA KATAKANA-HIRAGANA BOPOMOFO HANGUL GREEK MODIFIER THAI LAO KHMER MYANMAR "
    "TIBETAN HEBREW ARABIC DEVANAGARI BENGALI GUJARATI GURMUKHI KANNADA MALAYALAM ORIYA SINHALA TAMIL TELUGU".split()
)
# Latin letters that phonetic alphabets have, small capitals, and others that pass for plain ones.
_PHONETIC = (
    *(range(0x250, 0x2B0), range(0x1D00, 0x1DC0), range(0x2C60, 0x2C80), range(0xA720, 0xA800)),
    *(range(0xAB30, 0xAB70), range(0x10780, 0x107C0), range(0x1DF00, 0x1E000)),
)
_SPELT = frozenset("əɛɔɓɗɖɲ")  # but these are of some language's alphabet, and pass for none
_ODD = frozenset("ĸƄƅƖƧƨƼƽƿǀǃȢȣȷ")
# Letters that pass for Latin ones. Greek is written beside Latin, as in α7 or μTorrent, and only these deceive there.
_PASSING = frozenset("аеорсухіјѕһԁԛԝүӏьАВЕКМНОРСТУХІЈЅҮӀԌԜοινρυκτχαωΑΒΕΖΗΙΚΜΝΟΡΤΥΧօսոհցզյՕՍ")
# A dotless i is a letter of Turkic words, whose vowels agree; elsewhere it passes for the i with a dot.
_TURKIC = frozenset("ğşçöüəñ")
_VOWELS = "aeıiouöüəâîû"
_DISAGREEING = re.compile(f"[eiouöüə][^{_VOWELS}]*ı|ı[^{_VOWELS}]*[iuü]|[{_VOWELS}]ı|ı[{_VOWELS}]|w|c$")
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
    if any(_is_unseen(char) and not _is_spelling(text, at) for at, char in enumerate(text)) or _STRUCK.search(text):
        return "holds signs that nobody sees"
    words = _APART.split(unicodedata.normalize("NFKC", text))
    if any(_is_odd(letter) for word in words for letter in word) or any(map(_is_undotted, words)):
        return "holds letters that pass for others"
    latin = any(_is_latin(letter) for word in words for letter in word)
    if latin and any(_passes(word) for word in words):
        return "mixes letters of alphabets that look alike"
    return None


def _is_unseen(char: str) -> bool:
    kind = unicodedata.category(char)
    return _BLANK.match(char) is not None or (kind in _UNSEEN and not (kind == "Cn" and ord(char) in _EMOJI))


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
    others = [letter for letter in word if letter in _PASSING or (latin and _script(letter) not in _BESIDE)]
    return bool(others) and (latin or (len(others) == len(word) > _FEW))


def _is_odd(letter: str) -> bool:
    return letter in _ODD or (letter not in _SPELT and any(ord(letter) in block for block in _PHONETIC))


def _is_undotted(word: str) -> bool:
    """Whether a word has lost the dots of its i, as far as that can be told from the word alone."""
    spelt = word.translate({ord("I"): "ı"}).lower()
    return "ı" in word and _TURKIC.isdisjoint(spelt) and "İ" not in word and _DISAGREEING.search(spelt) is not None


def _is_latin(letter: str) -> bool:
    return letter.isascii() or _script(letter) == "LATIN"


def _script(char: str) -> str:
    return unicodedata.name(char, "").partition(" ")[0]
