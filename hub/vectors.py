"""Vectors in whole steps: rounded so that sums of products are exact in any order, and compared row by row."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hub.errors import Fault

LONGEST = 2_000
"""So many characters of a text its vector stands for; what comes after them is found by its words."""

FEW = 512
"""So many rows are held as they come, a byte a step; more of them four times as wide, and compared twice as fast."""

UNKNOWN = math.nan
"""The cosine of a row that has none: it is neither more nor less than any other."""

_AT_ONCE = 64
"""So many rows are made wide in one place, before the next are in the same."""

Vector = Sequence[float]
Table = NDArray[np.number[Any]]
Squares = NDArray[np.float64]
"""The square of each row's length, a whole number; not a number (NaN) where there is no direction."""

_UNFIT = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Meant:
    """What a query means, as far as an embedder could say: the steps of its vector, or why there are none."""

    steps: bytes | None = None
    missing: str | None = None


WORDS_ALONE = Meant()


def fit(text: str) -> str:
    """The part of a text that is embedded, without the signs that models end at or choke on; empty if nothing is left
    to embed."""
    cut = text[:LONGEST]
    return "" if cut.isspace() else cut if cut.isprintable() else _UNFIT.sub("\ufffd", cut)


def mark(text: str) -> str:
    """Stands for a text beside its vector, which is another's as soon as the text is: 16 hex digits."""
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def steps(vector: Vector) -> bytes:
    """The direction of a vector, one signed byte a dimension.

    At most ±min(127, ⌊√(2²⁴ / d)⌋) steps, so that a dot product of d of them stays below 2²⁴ and float32 holds it
    exactly. Raises Fault `bad_vector` for what is not all finite numbers.
    """
    direction = np.array(vector, dtype=np.float64)
    largest = float(np.maximum.reduce(np.abs(direction), initial=0.0))
    if not math.isfinite(largest):
        raise Fault("bad_vector", "a vector holds what is no finite number", "mend the embedder, or choose another")
    most = min(127, int((2**24 / max(len(direction), 1)) ** 0.5))
    if largest:
        direction /= largest
        direction *= most
    return np.rint(direction, out=direction).astype(np.int8).tobytes()


class Matrix:
    """The step vectors of the rows of one base, by row number; it grows by doubling, and each row is set once.

    INVARIANT: whoever compares looks at the squares first. A row without one is as good as not there, so that a row
    that is being set meanwhile is seen whole or not at all.
    """

    def __init__(self) -> None:
        self._held: tuple[Table, Squares] = (np.zeros((0, 0), dtype=np.int8), np.zeros(0))

    @property
    def dimensions(self) -> int:
        """0 as long as there is no vector."""
        return int(self._held[0].shape[1])

    @property
    def size(self) -> int:
        """In bytes."""
        return sum(part.nbytes for part in self._held)

    def put(self, rows: Sequence[int], packed: Sequence[bytes]) -> None:
        """Sets rows; all vectors have the length of the first that ever came. One caller at a time."""
        table, squares = self._grown(max(rows) + 1, len(packed[0]))
        if len(rows) == 1:  # as after most writes
            table[rows[0]] = row = np.frombuffer(packed[0], dtype=np.int8)
            wide = row.astype(np.float32)
            squares[rows[0]] = float(wide @ wide) or UNKNOWN
            return
        for start in range(0, len(packed), _AT_ONCE):
            some, news = rows[start : start + _AT_ONCE], b"".join(packed[start : start + _AT_ONCE])
            wide = np.frombuffer(news, dtype=np.int8).reshape(len(some), -1).astype(np.float32)
            table[some] = wide
            lengths = np.vecdot(wide, wide)
            squares[some] = np.where(lengths, lengths, UNKNOWN)

    def _grown(self, count: int, dimensions: int) -> tuple[Table, Squares]:
        table, squares = self._held
        if count > len(squares):
            room = max(count, 2 * len(squares), 16)
            wider: Table = np.zeros((room, dimensions), dtype=np.int8 if room <= FEW else np.float32)
            more = np.full(room, UNKNOWN)
            wider[: len(squares)] = table if table.size else 0
            more[: len(squares)] = squares
            self._held = (wider, more)
        return self._held

    def nearness(self, query: bytes, upto: int, seen: bytes | None = None, without: Iterable[int] = ()) -> Nearness:
        """How near the rows before `upto` are to a query; of those that `seen` (a byte each) lets through, if given."""
        table, squares = self._held
        upto = min(upto, len(squares))
        asked = np.frombuffer(query, dtype=np.int8).astype(np.float32)
        if not upto or table.shape[1] != len(asked):
            return NOTHING_NEAR
        length = float(asked @ asked)
        lengths = np.sqrt(squares[:upto] * (length or UNKNOWN))
        if seen is not None:
            lengths[np.frombuffer(seen, dtype=np.uint8, count=upto) == 0] = UNKNOWN
        for row in without:
            lengths[row : row + 1] = UNKNOWN
        # row by row, in this thread: a product of matrices is no quicker, and may wait for threads of its own
        return Nearness(np.vecdot(table[:upto], asked) / lengths)

    def among(self, query: bytes, rows: Iterable[int]) -> Nearness:
        """How near these rows are, and no others."""
        table, squares = self._held
        asked = np.frombuffer(query, dtype=np.int8).astype(np.float32)
        numbers = np.array(sorted({row for row in rows if row < len(squares)}), dtype=np.int64)
        length = float(asked @ asked)
        if not len(numbers) or not length or table.shape[1] != len(asked):
            return NOTHING_NEAR
        cosines = np.full(len(squares), UNKNOWN)
        lengths = np.sqrt(squares[numbers] * length)
        cosines[numbers] = np.vecdot(table[numbers], asked) / lengths
        return Nearness(cosines)

    def vectors(self, rows: Iterable[int]) -> dict[int, Vector]:
        """Row number -> its vector, of those that have one and know of a direction."""
        table, squares = self._held
        return {row: table[row].astype(np.float32) for row in rows if row < len(squares) and squares[row] > 0}


class Nearness:
    """The cosine of every row of a view to one query, -1..1; a row without a vector has none.

    INVARIANT: a cosine is made of whole numbers below 2⁵³ by one root and one division, and so is the same to the last
    bit whatever other rows there are.
    """

    __slots__ = ("_cosines",)

    def __init__(self, cosines: NDArray[np.float64]) -> None:
        """Row by row, not a number (NaN) where there is none; nor has any row that follows."""
        self._cosines = cosines

    def of(self, row: int) -> float | None:
        """None for a row that is not the view's, or has no vector (yet)."""
        cosine = self._cosines.item(row) if row < len(self._cosines) else UNKNOWN
        return None if math.isnan(cosine) else cosine

    def best(self, most: int, least: float = -1.0) -> list[tuple[int, float]]:
        """The nearest rows and their cosines, the nearest first, of equals the newest; none below `least`."""
        rows = (self._cosines >= least).nonzero()[0][::-1]
        cosines = self._cosines[rows]
        if 0 < most < len(rows):  # those too far away are left out before the others are put in order
            near = cosines >= np.partition(cosines, -most)[-most]
            rows, cosines = rows[near], cosines[near]
        order = (-cosines).argsort(kind="stable")[:most]
        return list(zip(rows[order].tolist(), cosines[order].tolist(), strict=True))


NOTHING_NEAR = Nearness(np.zeros(0))
