"""Names of relations that only a secret would be kept under."""

from __future__ import annotations

import re
from functools import lru_cache

from hub.errors import Denied
from hub.redaction.plain import Plain

_SECRET = re.compile(
    r"pass(?:word|code|phrase|wd)|(?:^|_)(?:pwd|pass)(?:$|_)|(?:^|_)pin(?:$|_(?:code|no|number)$)|(?:^|_)(?:cvv|cvc)2?(?:$|_)"
    r"|(?:api|access|private|secret|encryption|ssh|license|client|auth)_?(?:key|token|secret)s?(?:$|_)"
    r"|(?:^|_)(?:token|secret|otp|mnemonic)s?$|(?:seed|recovery|mnemonic)_?(?:phrase|words?)|(?:security|verification)_?code"
    r"|(?:card|account)_?(?:pin|cvv)|(?:credit|debit|bank)?_?card_?(?:number|no)$"
    r"|mat_?khau|(?:^|_)ma_?(?:pin|otp|bao_?mat|xac_?thuc|xac_?minh)|khoa_?(?:api|rieng|bi_?mat)|so_?the(?:_?tin_?dung)?$"
    r"|비밀_?번호|비번|패스워드|(?:^|_)암호(?:$|_)|핀_?번호|보안_?코드|인증_?번호|카드_?번호|개인_?키|api_?키|시드_?(?:구문|문구)"
    r"|パスワード|パスコード|暗証_?番号|合言葉|セキュリティ_?コード|カード_?番号|認証_?(?:コード|番号)|秘密_?鍵|api_?キー"
    r"|シード_?フレーズ"
)


@lru_cache(maxsize=4096)
def names_a_secret(relation: str) -> bool:
    """Whether what goes under this name opens something, whatever the value looks like."""
    return _SECRET.search(Plain.of(relation).lower) is not None


def refuse_secret_names(*relations: str) -> None:
    """Raises Denied `secret_name` if one of them names a secret."""
    for name in relations:
        if names_a_secret(name):
            raise Denied("secret_name", f"`{name}` is a name for a secret, which is never kept", "leave it out")
