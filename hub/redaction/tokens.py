"""What machines let each other in by: API keys, tokens, credentials in addresses, private keys."""

from __future__ import annotations

import re
from math import log2

from hub.redaction.rules import Rule


def _random_enough(match: re.Match[str]) -> bool:
    """Letters and digits at more than three bits a character (Shannon), which no word or name has."""
    text = match["v"]
    mixed = re.search(r"\d", text) is not None and re.search(r"[A-Za-z]", text) is not None
    return mixed and -sum(p * log2(p) for char in set(text) if (p := text.count(char) / len(text))) > 3


_BASE58 = "1-9A-HJ-NP-Za-km-z"
_BY_PREFIX = (
    r"hubt?_[\w-]{40,}",
    r"(?:sk|rk)[-_](?=[\w-]*\d)[\w-]{16,}",
    r"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}",
    r"xox[abeoprs]-[\w-]{10,}",
    r"A(?:KI|SI|BI|CC)A[A-Z0-9]{16}\b",
    r"AIza[\w-]{30,}|ya29\.[\w-]{20,}",
    r"SG\.[\w-]{16,}\.[\w-]{16,}",
    r"(?:npm_|pypi-|hf_|gsk_|r8_|ntn_|dop_v1_|shp(?:at|ss)_|lin_api_|nvapi-)(?=[\w-]*\d)[\w-]{16,}",
    r"\d{8,10}:AA[\w-]{30,}",
    r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{5,}",
)
"""How the keys of well-known services begin (as their own secret scanners have it), and JSON web tokens."""

RULES = (
    Rule.of(
        "private_key",
        "private key-----",
        r"(?s)(?P<v>-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,20}PRIVATE KEY-----|\Z))",
    ),
    Rule.of(
        "private_key",
        "age-secret-key-1,prv",
        rf"\b(?P<v>(?-i:AGE-SECRET-KEY-1[A-Z0-9]{{50,}}|[xyz]prv[{_BASE58}]{{50,}}))",
    ),
    Rule.of(
        "private_key",
        "private key,khoa rieng,개인키,개인 키,秘密鍵",
        r"(?:private key|khoa rieng|개인\s?키|秘密鍵)[^\n\[\]]{0,25}?",
        rf"(?P<v>\b(?:0x)?[0-9a-f]{{64}}\b|(?-i:\b[5KL][{_BASE58}]{{50,51}}\b))",
    ),
    Rule.of(
        "api_key",
        "hub_,hubt_,sk-,sk_,rk-,rk_,ghp_,gho_,ghu_,ghs_,ghr_,github_pat_,glpat-,xox,akia,asia,abia,acca,aiza,ya29.,sg.,"
        "npm_,pypi-,hf_,gsk_,r8_,ntn_,dop_v1_,shpat_,shpss_,lin_api_,nvapi-,:aa,eyj",
        rf"(?<![\w-])(?P<v>(?-i:{'|'.join(_BY_PREFIX)}))",
    ),
    Rule.of("api_key", "bearer ,basic ", r"\b(?:bearer|basic)\s+(?P<v>[\w.~+/=-]{16,2048})", judge=_random_enough),
    Rule.of(
        "api_key",
        "key,token,secret,khoa,api 키,api키,토큰,トークン,キー",
        r"(?:\b(?:api|access|secret|auth|client|private|account)[ _-]?(?:key|token|secret)\b|\btoken\b|\bsecret\b",
        r"|\bkhoa api\b|api\s?키|토큰|トークン|apiキー|アクセスキー)",
        r"[^\w\n\[\]]{0,4}(?:is|was|la|[는은はが])?\s*[:=]?\s*[\"'`「]?(?P<v>[\w.~+/=-]{12,512})",
        judge=_random_enough,
    ),
    Rule.of("password", "://", r"\b[a-z][a-z0-9+.-]{0,20}://[^\s/:@\[\]]{0,64}:(?P<v>[^\s/@\[\]]{3,256})@"),
)
