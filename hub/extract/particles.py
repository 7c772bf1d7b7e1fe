"""Korean particles, told by sound: which syllables are none, for the sound before them asks for another."""

from __future__ import annotations

import re
from collections.abc import Callable

from hub.documents import Fields

PARTICLES = ("closed", "open", "nouns")

HANGUL = "가-힣"
MARKS = "\ue010-\ue01f"
"""Signs that stand for syllables which look like particles and are none, as a part of an expression."""

_BEING = "(?<=이)(?:고|며|지만|라서|면서|거든)"
"""After 이 it is the copula, which may follow any sound."""
_FIRST_MARK = 0xE010
_SYLLABLES = range(0xAC00, 0xD7A4, 28)
_OPEN = "".join(map(chr, _SYLLABLES))
_CLOSED = "".join(f"{chr(first + 1)}-{chr(first + 27)}" for first in _SYLLABLES)


def particled(fields: Fields, lowered: Callable[[str], str]) -> Callable[[str], str]:
    """How texts and patterns are compared where particles depend on sound: character for character.

    은 follows a final consonant and 는 does not, so that the 이 of 오이 is no particle; of `nouns` the sound does not
    tell. A mark takes the place of such a syllable, in a pattern's words as in the text. Without particles: `lowered`.
    """
    closed, opened = fields.texts("closed"), fields.texts("open")
    if not closed and not opened:
        return lowered
    marks = {particle: chr(_FIRST_MARK + n) for n, particle in enumerate((*closed, *opened))}
    unsound = re.compile(f"(?<=[{_OPEN}])[{''.join(closed)}](?!{_BEING})|(?<=[{_CLOSED}])[{''.join(opened)}]")
    nouns = re.compile("|".join(map(re.escape, sorted(fields.texts("nouns"), key=len, reverse=True))) or "(?!)")

    def compared(text: str) -> str:
        whole = nouns.sub(lambda found: found[0][:-1] + marks.get(found[0][-1], found[0][-1]), lowered(text))
        return unsound.sub(lambda found: marks[found[0]], whole)

    return compared
