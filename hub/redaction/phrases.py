"""What people know by heart: passwords, PINs, codes and seed phrases, by the words of four languages before them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hub.redaction.plain import Found, Plain
from hub.redaction.rules import Rule

_NO_PASSWORD = frozenset(
    "wrong incorrect invalid not too weak strong good bad fine okay safe secure secret missing needed lost new old the "
    "this that what which there here its your mine his her our their some something anything nothing same different "
    "very really easy hard long short simple only always never null none true false gone due again "
    "still now actually just also "
    "sai moi manh yeu dung khong nay nao cua rat qua kho cai mot".split()
)
"""Words that say something of a password, and are none; Vietnamese ones without accents."""

_SAYING = re.compile(r"[a-z]+(?:ing|ed|able|ory|ive|ally)")
_ENDS = re.compile(r"[\s」』\"').,。!?]|です|だ|でした|입니다|이에요|예요|이야|야|라고|$")

_WORD = r"[^\s\"'`“”‘’()\[\]<>]"
_LAST = r"[^\s\"'`“”‘’()\[\]<>.,;:]"
_QUOTE = r"[\"'`“‘「『(]?"
_FILL = r"(?:(?!\b(?:and|va)\b|, )[^.\n;!?\[\]]){0,30}?"
_ASCII = r"(?P<v>[!-Z\\^-~]{2,127}[!#-&*-Z\\^_a-~])"
_WRITTEN = tuple(f"p{a}{s}" for a in "a@4" for s in ("ss", "$$", "55"))
_PASS = f"(?:{'|'.join(map(re.escape, _WRITTEN))})"
_PASSWORD = rf"\b(?:{_PASS}(?:w[o0]rds?|codes?|phrases?|wd)|pwd|mat khau)\b"
_HINTS = ",".join(("passw", "passc", "passph", *_WRITTEN[1:], "pwd", "mat khau"))


def _no_mere_word(match: re.Match[str]) -> bool:
    word = match["v"].lower().strip(".,;:!?")
    return len(word) > 2 and word not in _NO_PASSWORD and not _SAYING.fullmatch(word)


_MEASURE = re.compile(
    r"[\d.,]+(?:[a-z%]{1,2}|(?:day|hour|hr|min|year|week|month|night)s?|usd|vnd|krw|jpy|eur)\b", re.IGNORECASE
)


def _no_measure(match: re.Match[str]) -> bool:
    """A number with a unit is no password."""
    return _MEASURE.match(match["v"]) is None


def _looks_made_up(match: re.Match[str]) -> bool:
    """Latin letters amid Korean or Japanese are no password by themselves: `Wi-Fi` is a word."""
    return re.search(r"[\d!@#$%^&*_]", match["v"]) is not None or _ENDS.match(match.string, match.end("v")) is not None


RULES = (
    Rule.of(
        "password",
        _HINTS,
        rf"{_PASSWORD}(?:\s{_FILL})?",
        r"(?:\s(?:is|was|la)\s+(?:(?:still|now|actually|just|simply|also)\s+){0,2}|\s*(?:[:=]|->)\s*)",
        rf"{_QUOTE}(?P<v>{_WORD}{{2,127}}{_LAST})",
        judge=_no_mere_word,
    ),
    Rule.of(
        "password",
        _HINTS,
        rf"{_PASSWORD}\s+{_QUOTE}(?P<v>(?={_WORD}{{0,128}}\d)(?={_WORD}{{0,128}}[^\W\d_]){_WORD}{{4,127}}{_LAST})",
    ),
    Rule.of(
        "password",
        _HINTS,
        rf"(?<!{_WORD})(?P<v>{_WORD}{{2,127}}{_LAST})[\"'`”’)]?\s+(?:is|was|la)\s+(?:my|the|our|mat)\s",
        rf"(?:\w{{1,20}}\s){{0,2}}(?:{_PASS}(?:w[o0]rd|code)|khau)",
        judge=_no_mere_word,
    ),
    Rule.of("password", "pw", rf"\bpw\s?(?:[:=]|->)\s?{_QUOTE}(?P<v>{_WORD}{{2,127}}{_LAST})", judge=_no_mere_word),
    Rule.of(
        "password",
        "pass,pw,mk,패스,パス",
        r"(?:(?:\A|[\n,;:(]\s{0,3}|\b(?:my|our|the|login|account|wi-?fi|admin|email|user|and)\s|(?:user(?:name)?|id)\s?/\s?)pass",
        r"|(?<![\w-])(?:pw|mk|패스|パス))",
        r"(?:\s?[:=]\s?|\s(?:is|la)\s|\s?[는은は]\s?|(?<=pw)\s)",
        rf"{_QUOTE}(?=[!-~]{{0,128}}\d)(?=[!-~]{{0,128}}[A-Za-z]){_ASCII}",
        judge=_no_measure,
    ),
    Rule.of(
        "password",
        "비밀번호,비밀 번호,비번,암호,패스워드,pw",
        rf"(?:비밀\s?번호|비번|암호|패스워드|(?<![a-z])pw(?=\s?[은는이가]))\s*[은는이가를을도]?\s*[:=]?\s*{_QUOTE}{_ASCII}",
        judge=_looks_made_up,
    ),
    Rule.of(
        "password",
        "パスワード,パスコード,暗証番号,合言葉,pw",
        rf"(?:パスワード|パスコード|暗証番号|合言葉|(?<![a-z])pw(?=\s?[はが]))\s*[はがをも]?\s*[:=]?\s*{_QUOTE}{_ASCII}",
        judge=_looks_made_up,
    ),
    Rule.of(
        "pin",
        "pin,핀번호,핀 번호",
        r"(?:\b(?:ma )?pin\b(?!\s?code\s+\d{6})|핀\s?번호)(?:\s?(?:code|number|no\.?|번호))?",
        r"(?:\s(?:for|of|to|on|cua|cho)\s[^.,;\d\n\[\]]{1,25}?)?",
        r"\s*[는은]?\s*(?:is|was|la|:|=|#)?\s*(?P<v>\d{4,8})(?!\d)",
    ),
    Rule.of(
        "card_code",
        "cvv,cvc,security code,card code,ma bao mat,보안코드,보안 코드,セキュリティコード",
        r"(?:\bcv[vc]2?\b|\bsecurity code\b|\bcard code\b|\bma bao mat\b|보안\s?코드|セキュリティコード)",
        r"[^\d\n\[\]]{0,15}(?P<v>\d{3,4})(?!\d)",
    ),
    Rule.of(
        "one_time_code",
        "otp,one-time,one time,2fa code,verification code,ma xac thuc,ma xac minh,"
        "인증번호,인증 번호,認証コード,認証番号,ワンタイム",
        r"(?:\botp\b|\bone[- ]time (?:code|password|passcode)\b|\b2fa code\b|\bverification code\b",
        r"|\bma xac (?:thuc|minh)\b|인증\s?번호|認証(?:コード|番号)|ワンタイムパスワード)",
        r"[^\d\n\[\]]{0,20}(?P<v>\d{4,8})(?!\d)",
    ),
)

# --- seed phrases ------------------------------------------------------------------------------------------------

_SEED = Rule.of(
    "seed_phrase",
    "seed,recovery,mnemonic,wallet,backup,cum tu,구문,문구,단어,フレーズ",
    r"(?:(?:seed|recovery|mnemonic|wallet|backup)\s(?:recovery\s)?(?:phrases?|words?)|mnemonic",
    r"|cum tu (?:khoi phuc|bi mat|hat giong)|(?:시드|복구|니모닉)\s?(?:구문|문구|단어)",
    r"|(?:シード|リカバリー|復元|ニーモニック)フレーズ)",
    r"[^\n\[\]]{0,25}?(?:\bis\b|\bla\b|[:=はが는은]|\n)\s*[\"'「]?",
    r"(?P<v>(?:(?:\d{1,2}[.):]?\s*)?[a-z]{3,8}(?:[\s,]+|\b)){12,24})",
)
_ALONE = re.compile(r"(?m)^[ \t]*(?P<v>(?:(?:\d{1,2}[.):]?[ \t]*)?[a-z]{3,8}(?:[ \t]+|$)){12,24})$")
_LENGTHS = (12, 15, 18, 21, 24)
_SHORTEST = 4 * _LENGTHS[0] - 1
"""Characters in the shortest of them: words of three letters, and what parts them."""
_NEVER_IN_A_SEED = frozenset(
    "the and for with was are but not from have has had been they his her our your its".split()
)


def seeds(plain: Plain) -> Iterator[Found]:
    """The words of a wallet (BIP-39): introduced as such, or a line of nothing but so many of them."""
    if len(plain.text) < _SHORTEST:
        return
    yield from _SEED.found(plain)
    if plain.text.count(" ") + 1 < _LENGTHS[0]:
        return
    for match in _ALONE.finditer(plain.text):
        words = re.findall(r"[a-z]+", match["v"])
        if len(words) in _LENGTHS and len(set(words)) > _LENGTHS[0] // 2 and _NEVER_IN_A_SEED.isdisjoint(words):
            yield Found(*match.span("v"), "seed_phrase")
