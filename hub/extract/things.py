"""Mentions of things: “it”, “my car”, “the Civic”, “xe của tôi”, “my Sony WH-1000XM5 headphones”."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hub.extract.pack import Pack, lowered
from hub.extract.slots import Spacing
from hub.requests import Mention

# Of scripts without capitals any letter may begin a name.
_NAMING = re.compile("[A-Z0-9\u00c0-\u00de\u0110\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


def thing(text: str, pack: Pack, it: Mention | None, *, first: bool) -> Mention | None:
    """What a text mentions; None if nothing. `it`: what was spoken of last; `first`: a sentence begins with the text,
    so that a capital says nothing."""
    low = pack.compared(text)
    if pack.things.pronouns.fullmatch(low) is not None:
        return it
    start, end = _bare(low, pack)
    bare = text[start:end].strip()
    known = _known(bare, pack)
    if known is not None or not bare:
        return known
    name = bare.split()[0][first and not start :]
    if not _NAMING.search(name):
        return Mention(kind=lowered(bare)) if (start, end) != (0, len(text)) else None
    *names, noun = bare.split()
    return Mention(kind=noun, name=" ".join(names)) if names and _is_noun(noun) else Mention(name=bare)


def _is_noun(word: str) -> bool:
    return word.isalpha() and word.islower()


def _bare(low: str, pack: Pack) -> tuple[int, int]:
    """Without what says that it is the customer's, or known."""
    before = pack.things.before.match(low)
    start, end = 0 if before is None else before.end(), len(low)
    for after in pack.things.after.finditer(low, start):
        end = after.start() if after.end() == len(low) else end
    return start, end


def _known(text: str, pack: Pack) -> Mention | None:
    """A noun for a kind, alone or beside a name; the longest noun counts."""
    for noun, rest in _divided(text, pack.spacing):
        kind = pack.things.kinds.get(pack.compared(noun))
        if kind is not None:
            return Mention(kind=kind, name=rest) if _NAMING.search(rest) else Mention(kind=kind)
    return None


def _divided(text: str, spacing: Spacing) -> Iterator[tuple[str, str]]:
    """A first or last part, and the rest."""
    glue = "" if spacing is Spacing.NONE else " "
    words = text.split() if glue else list(text)
    for length in range(len(words), 0, -1):
        yield glue.join(words[-length:]), glue.join(words[:-length])
        yield glue.join(words[:length]), glue.join(words[length:])
