"""Words as they are compared: folding, tokens for lexical match, stop words, a guess at language and token count."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence

_HAN = "々〆〇\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff"
CJK = _HAN + _KANA + _HANGUL
"""Signs of writing without spaces between words, or with more than a word between two: for a class of a pattern."""
_EMOJI = "\u231a\u231b\u23e9-\u23fa\u2600-\u26ff\u2702-\u27b0\u2b50\u2b55\U0001f000-\U0001faff"


# --- folding -----------------------------------------------------------------------------------------------------

# Zero-width, direction and variation marks, the soft hyphen, skin tones and flag tags: seen by nobody, or no word.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U0001f3fb-\U0001f3ff\U000e0000-\U000e0fff]+"
)
# Normalising sorts each run of combining marks in quadratic time, so that it is given short pieces only. A piece
# ends before nothing that would combine with its last letter.
_PIECE = re.compile("(?s).{1,512}(?![\u0300-\u036f\u1161-\u11ff\u3099\u309a\uff9e\uff9f])|.{1,512}")
_DIACRITICS = range(0x300, 0x370)
_ACCENTED = (*range(0xC0, 0x250), *range(0x1E00, 0x2000), *range(0x370, 0x400))
_ALIKE = {
    **dict(zip("đðøłħŧı", "ddolhti", strict=True)),
    **dict(zip("æœþё", ("ae", "oe", "th", "е"), strict=True)),
    **dict.fromkeys("‘’ʼ", "'"),
    **dict.fromkeys("‐‒–−", "-"),
}


def fold(text: str) -> str:
    """NFKC, case-folded, without what can't be seen and without the diacritics of Latin and Greek letters.

    The marks of kana, й and other letters in their own right stay; ё becomes е. `München` → `munchen`, `Đà Nẵng` →
    `da nang`, `ｶﾞ` → `ガ`. Curly apostrophes and the shorter dashes become `'` and `-`. Linear in the text's length.
    """
    if text.isascii():
        return text.lower()
    return "".join(map(_normal, _PIECE.findall(_UNSEEN.sub("", text)))).translate(_FOLDED)


def composed(text: str) -> str:
    """In small letters, each with its marks as one sign where there is one (NFC). Linear in the text's length."""
    if text.isascii():
        return text.lower()
    return "".join(unicodedata.normalize("NFC", piece) for piece in _PIECE.findall(text)).lower()


def _normal(piece: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", piece).casefold())


def _bare_letters() -> Iterator[tuple[int, str]]:
    for code in _ACCENTED:
        letter = unicodedata.normalize("NFD", chr(code))[0]
        if letter != chr(code):
            yield code, _ALIKE.get(letter, letter)


_FOLDED: Mapping[int, str | None] = {
    **dict(_bare_letters()),
    **{ord(letter): plain for letter, plain in _ALIKE.items()},
    **dict.fromkeys(_DIACRITICS),
}


# --- tokens ------------------------------------------------------------------------------------------------------

_LETTERS = f"[^\\W_{CJK}]+"
_NUMBER = "[0-9]+(?:[.,][0-9]+)+"
_FOUND = re.compile(f"{_NUMBER}|[{CJK}]+|{_LETTERS}(?:[-_./:']{_LETTERS})*|[\U0001f1e6-\U0001f1ff]{{2}}|[{_EMOJI}]")
_FOUND_ASCII = re.compile(f"{_NUMBER}|[a-z0-9]+(?:[-_./:'][a-z0-9]+)*")
_CJK_SIGN = re.compile(f"[{CJK}]")
_FORMATTED = re.compile(_NUMBER)
_DIGIT = re.compile("[0-9]")
_IDENTIFIER = re.compile(r"(?![0-9]+[^\W\d_]{1,3}$)(?:(?=.*[0-9]{5})|(?=.*[^\W\d_])(?=(?:[^0-9]*[0-9]){3}))")
_SHORT_PREFIX = 3
_JOINT = re.compile("[-_./:']")
_CLITIC = re.compile(r"'(?:s|m|re|ve|ll|d)(?![^\W_])")
_COMMAS = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_DOTS = re.compile(r"[1-9][0-9]{0,2}(?:(?:\.[0-9]{3}){2,}(?:,[0-9]+)?|\.[0-9]{3},[0-9]+)")
_EITHER = re.compile(r"[1-9][0-9]{0,2}\.[0-9]{3}")
_NUMBER_FIRST = re.compile("([0-9]+)([^0-9]+)(.*)")
_NUMBER_LAST = re.compile("([^0-9]+)([0-9]+)")
_LONE_HAN = re.compile(f"(?<![{_HAN}])[{_HAN}](?![{_HAN}])")
_PARTICLED = re.compile("([가-힣])[은는이가을를에의도로와과만]")


def tokens(text: str, parts: Callable[[str], Sequence[str]] | None = None) -> list[str]:
    """The words of a text in order, folded, for lexical match; stop words included. Nothing but signs gives [].

    - English words lose plural, possessive, -ing and -ed. Other letters are left as they are.
    - Han, kana and Hangul give the pairs within a run: `커피를` is found by `커피`. A single sign is itself; so is a
      lone kanji among kana, and a syllable before a Korean particle.
    - An identifier is kept whole, without its hyphens, and by its telling parts: `WH-1000XM5`, `wh1000xm5`,
      `1000xm5`, `xm5`. A short prefix (`ORD-`) is no telling part: all orders have it.
    - `3,000` and `3.000.000` lose their separators; `3.000`, which is either, gives both readings.
    - An emoji is a word.

    `parts` is `parts_of`, or something that remembers what it made of a word.
    """
    folded = fold(text)
    plain = folded.isascii() and parts is None
    parts = parts or parts_of
    found: list[str] = []
    for word in (_FOUND_ASCII if folded.isascii() else _FOUND).findall(folded):
        if plain and word.isalpha():  # as most are
            found.append(stem(word))
        else:
            found += parts(word)
    return found


def parts_of(word: str) -> Sequence[str]:
    """The tokens of one word, or of one run of signs, that has been folded."""
    if word.isascii() and word.isalnum():
        return (stem(word),) if word.isalpha() else (word,) if word.isdigit() else _segment(word)
    return _run(word) if _CJK_SIGN.match(word) else _mixed(word)


def identifiers(text: str) -> list[tuple[str, ...]]:
    """What names one thing exactly, such as `ORD-48207`, `WH-1000XM5` or `48207`: the tokens of each.

    Five digits in a row, or letters with at least three digits; but no amount or measure: `3,000`, `800usd`, `100km`.
    """
    folded = fold(text)
    words = (_FOUND_ASCII if folded.isascii() else _FOUND).findall(folded) if _DIGIT.search(folded) else ()
    return [tuple(_mixed(word)) for word in words if _IDENTIFIER.match(word) and not _FORMATTED.fullmatch(word)]


def _run(run: str) -> list[str]:
    if len(run) == 1:
        return [run]
    pairs = [run[at : at + 2] for at in range(len(run) - 1)]
    particled = _PARTICLED.fullmatch(run)
    return pairs + _LONE_HAN.findall(run) + ([particled[1]] if particled else [])


def _number(written: str) -> list[str]:
    if _COMMAS.fullmatch(written):
        return [written.replace(",", "")]
    if _DOTS.fullmatch(written):
        return [written.replace(".", "").replace(",", ".")]
    if _EITHER.fullmatch(written):
        return [written, written.replace(".", "")]
    return written.split(",")


def _mixed(word: str) -> list[str]:
    if _FORMATTED.fullmatch(word):
        return _number(word)
    word = _CLITIC.sub("", word).replace("n't", "nt")
    parts = _JOINT.split(word)
    if not any(map(str.isdigit, word)):
        return [stem(part) for part in parts]
    return _segment(word) if len(parts) == 1 else _identifier(word, parts)


def _identifier(whole: str, parts: list[str]) -> list[str]:
    """`parts` is `whole` cut at its joints; at least one of them holds a digit."""
    joined = "".join(parts)
    found = [whole, joined] if set(whole) - set(joined) <= {"-", "_"} else [whole]
    measured = parts[0].isdigit() and not joined.isdigit()  # `3-day`, but neither `ord-3` nor `2026-03-01`
    for place, part in enumerate(parts):
        if part.isalpha():
            found += [stem(part)] if place or len(part) > _SHORT_PREFIX else []
        elif len(part) > 2 or (measured and not place):
            found += _segment(part)
    return found


def _segment(segment: str) -> list[str]:
    """Letters and digits without a joint between them."""
    if match := _NUMBER_FIRST.fullmatch(segment):
        number, letters, rest = match.groups()
        return [segment, letters + rest] if rest else [segment, number, stem(letters)]
    if match := _NUMBER_LAST.fullmatch(segment):
        letters, number = match.groups()
        telling = [stem(letters)] if len(letters) > _SHORT_PREFIX else []
        return [segment, *telling, *([number] if len(number) > _SHORT_PREFIX else [])]
    return [segment]


# --- English endings ---------------------------------------------------------------------------------------------

# Inflection only, after steps 1 and 5 of M. F. Porter, "An algorithm for suffix stripping" (1980): what tells words
# apart, as -er or -ly do, stays.
_VOWEL = re.compile("[aeiouy]")
_SYLLABLE = re.compile("[aeiouy]+[^aeiouy]+")
_CLIPPED = re.compile("[^aeiouy]*[^aeiou][aeiouy][^aeiouwxy]")  # `mov` of moving, `plan` of plane
_IRREGULAR = dict(
    pair.split("/")
    for pair in (
        "children/child men/man women/woman people/person feet/foot teeth/tooth mice/mouse knives/knife buses/bus "
        "gases/gas used/use using/use news/news lens/lens evening/evening wedding/wedding herring/herring "
        "earring/earring anything/anything everything/everything something/something nothing/nothing"
    ).split()
)
_LONGEST_WORD = 24
_ENDINGS = frozenset("degls")


def stem(word: str) -> str:
    """An English word without its ending; any other as it is."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word[-1:] not in _ENDINGS or not 3 < len(word) <= _LONGEST_WORD:
        return word
    if word[-1] == "s":
        word = _singular(word)
    if word.endswith(("ing", "ed")):
        word = _infinitive(word)
    return _trimmed(word)


def _singular(word: str) -> str:
    if word.endswith(("ss", "us", "is")):
        return word
    return word[:-3] + "y" if word.endswith("ies") and len(word) > 4 else word[:-1]


def _infinitive(word: str) -> str:
    if word.endswith("eed"):
        return word if word.endswith("ceed") or not _syllables(word[:-3]) else word[:-1]
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    base = word[: -3 if word[-1] == "g" else -2]
    if len(base) < 3 or not _VOWEL.search(base):
        return word
    if base.endswith(("at", "bl", "iz")) or _CLIPPED.fullmatch(base):
        return base + "e"
    return base[:-1] if base[-1] == base[-2] not in "lsz" and len(base) > 3 else base


def _trimmed(word: str) -> str:
    """Without an ending that comes and goes: the e of `arriv(e)`, the second l of `travel(l)`, the ie of `cookie`."""
    if word.endswith("ie") and len(word) > 4:
        return word[:-2] + "y"
    base = word[:-1]
    if len(base) < 3 or not word.endswith(("e", "ll")):
        return word
    syllables = _syllables(base)
    if syllables > 1 or (syllables == 1 and word[-1] == "e" and not _CLIPPED.fullmatch(base)):
        return base
    return word


def _syllables(word: str) -> int:
    return len(_SYLLABLE.findall(word))


# --- stop words --------------------------------------------------------------------------------------------------

_STOP = frozenset(
    tokens(
        "a an the this that these those i me my mine you your we our it its he him his she her they their "
        "am is are was were be been being do does did has have had will would can could shall should "
        "of to in on at for from by with as and or but if so than then there here about into "
        "what which who whom whose where when how why any some please im ive"
        # Vietnamese
        " toi la va cua thi ma nhung cac mot duoc nay gi nao sao"
        # Korean
        " 은 는 이 가 을 를 에 의 도 로 와 과 만 나 저 그 에서 으로 하고 입니 니다 습니 어요 해요 나요"
        # Japanese
        " は が を に の へ と で も や か ね よ です ます から まで した して ます ない この その"
    )
)


def is_stop(token: str) -> bool:
    """Whether a token, as `tokens` gives it, is grammar in English, Vietnamese, Korean or Japanese.

    Vietnamese is without its tones here: words that mean too much in one of their readings are left out.
    """
    return token in _STOP


# --- guesses -----------------------------------------------------------------------------------------------------

_WHOLE_TOKEN = re.compile(f"[{CJK}{_EMOJI}]")
_ENOUGH = 1_000
_KANA_SIGN, _HANGUL_SIGN = re.compile(f"[{_KANA}]"), re.compile(f"[{_HANGUL}]")
_VIETNAMESE_ONLY = re.compile("[ăđĩũơư\u1ea0-\u1ef9]")
_VIETNAMESE_TOO = re.compile("[àáâãèéêìíòóôõùúý]")
_LATIN_WORD = re.compile("[a-z]+")
_BARE_ONLY = frozenset(
    "toi khong cua duoc nguoi thich muon nhung chuyen roi nhe voi uong nhieu thuoc giup truoc cung rat ngay".split()
)
_BARE_TOO = frozenset(
    "la an em anh chi o di song ten co bi va cho gi nay xe con mot hai ba bay den tu se da dang lam mua ban hang nha "
    "nam goi gia ve ra vao nua ca phe tra do y hom mai qua sao khi mau vat viec hay biet can tim minh tuan thang dat "
    "sua hong chay ghe so dia chua nao dau thi ma vi nen neu phai chung ta ho no ay kia day luon het may".split()
)


def estimate_tokens(text: str) -> int:
    """About how many tokens of a language model a text takes, without any tokenizer.

    One for a CJK sign or an emoji; for the rest a quarter for each character and half of one more if it is not ASCII,
    but at least one for each word; 0 for an empty text only. High for prose, low for codes and markup. Parts of a text
    never add up to fewer than the whole.
    """
    if text.isascii():
        return max(len(text.split()), -(-len(text) // 4))
    rest, signs = _WHOLE_TOKEN.subn(" ", text)
    beyond_ascii = len(rest) - len(rest.encode("ascii", "ignore"))
    quarters = len(rest) - signs + 2 * beyond_ascii
    return max(len(rest.split()), -(-quarters // 4)) + signs


def lang_of(text: str) -> str:
    """`ko`, `ja`, `vi` or else `en`, by the letters in the first thousand characters.

    Hangul says Korean and kana Japanese, whichever is more. Han alone says neither, as Chinese would look the same.
    A letter that only Vietnamese has says Vietnamese; so do letters it shares with others, in at least two words and
    more than half. Vietnamese without its marks is told by its words: one that no other language has, and half of all.
    """
    if text.isascii():
        return "vi" if _reads_vietnamese(text[:_ENOUGH].lower()) else "en"
    start = unicodedata.normalize("NFKC", text[:_ENOUGH]).lower()
    korean, japanese = len(_HANGUL_SIGN.findall(start)), len(_KANA_SIGN.findall(start))
    if korean or japanese:
        return "ko" if korean >= japanese else "ja"
    return "vi" if _looks_vietnamese(start) else "en"


def _looks_vietnamese(text: str) -> bool:
    words = text.split()
    marked = sum(_VIETNAMESE_TOO.search(word) is not None for word in words)
    return _VIETNAMESE_ONLY.search(text) is not None or (marked >= 2 and marked * 2 > len(words))


def _reads_vietnamese(text: str) -> bool:
    words = _LATIN_WORD.findall(text)
    if _BARE_ONLY.isdisjoint(words):
        return False
    return 2 * sum(word in _BARE_ONLY or word in _BARE_TOO for word in words) >= len(words)
