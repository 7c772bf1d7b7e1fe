"""A version of the policy: Casbin's verdict on each label, remembered, and our own words for it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import NamedTuple, TypeVar

from casbin import Enforcer
from casbin.model import Model
from casbin.rbac.default_role_manager import DomainManager

from hub.facts import Filing, Label
from hub.policy.rules import AGENT, Act, Grant, Rule, Subject, bad_policy, reached, read, within

KNOWN_MODELS = frozenset({"300f284c9dd1003e626adb61872cc01b44da3c36e64b1bd4115c349e24abdf59"})
"""Digests of the models this hub can reason about, see `model_digest`.

INVARIANT: `explain`, the keys of clearances and the stand-ins for strange names hold for these matchers only.
"""

_log = logging.getLogger(__name__)
_CASBIN_ERRORS = (RuntimeError, ValueError, TypeError, LookupError, AttributeError, SystemError)
_PARSING = Lock()
"""Casbin parses its matcher for every question. One at a time, over all versions of the policy: Python 3.11 counts the
depth of a parse for all threads together, and raises when two of them get in each other's way."""


def _silence_casbin() -> None:
    """Casbin logs every request and verdict; a level and a filter outlive a logging configuration made later."""
    for name in ("casbin", "casbin.enforcer", "casbin.policy", "casbin.role"):
        logger = logging.getLogger(name)
        logger.setLevel(logging.CRITICAL + 1)
        logger.addFilter(lambda record: False)


_silence_casbin()


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict and the first line that decided it; number and line are None when no line did."""

    allowed: bool
    line_number: int | None
    line: str | None
    why: str


class Request(NamedTuple):
    """One question to Casbin, in the order of the model's request definition."""

    home: str
    agent: str
    owner: str
    told: str
    scope: str
    relation: str
    act: str
    purpose: str


class _Undecided(Exception):
    """Casbin failed over a request: that is a no, but not one to remember."""


K = TypeVar("K")
V = TypeVar("V")


class _Memo(dict[K, V]):
    """Found again in one look-up; names have no end, so a full memo starts over."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit

    def keep(self, key: K, value: V) -> V:
        if len(self) >= self.limit:
            self.clear()
        self[key] = value
        return value


class Clearance:
    """The labels open to one kind of subject, for one act and purpose.

    `key` is (version, home, agent if the policy names it, purpose if the policy names it, act): equal for subjects
    that the policy cannot tell apart.
    """

    __slots__ = ("_filings", "_judge", "_labels", "key")

    def __init__(self, key: tuple[str, ...], judge: Callable[[Label], bool]) -> None:
        self.key = key
        self._judge = judge
        self._labels: _Memo[Label, bool] = _Memo(8_192)
        self._filings: _Memo[Filing, bool] = _Memo(8_192)

    def admits(self, label: Label) -> bool:
        try:
            return self._verdict(label)
        except _Undecided:
            return False

    def admits_all(self, filing: Filing) -> bool:
        """Every label of it; what is filed nowhere is admitted nowhere."""
        verdict = self._filings.get(filing)
        if verdict is not None:
            return verdict
        try:
            return self._filings.keep(filing, bool(filing) and all(map(self._verdict, filing)))
        except _Undecided:
            return False

    def _verdict(self, label: Label) -> bool:
        verdict = self._labels.get(label)
        return self._labels.keep(label, self._judge(label)) if verdict is None else verdict


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Policy:
    """One immutable version; the next is parsed beside it and takes its place by swapping one reference."""

    model: str
    lines: str
    digest: str
    _rules: tuple[Rule, ...]
    _grants: tuple[Grant, ...]
    _enforcer: Enforcer
    _names: frozenset[str]
    _purposes: frozenset[str]
    _asked: _Memo[Request, bool] = field(default_factory=lambda: _Memo(65_536))
    _clearances: _Memo[tuple[str, ...], Clearance] = field(default_factory=lambda: _Memo(1_024))

    @classmethod
    def parse(cls, model: str, lines: str) -> Policy:
        """Raises Incorrect `bad_policy`, naming every line at fault."""
        if model_digest(model) not in KNOWN_MODELS:
            raise bad_policy("the hub knows no such model; rules belong into policy.csv", "model.conf")
        rules, grants = read(lines)
        return cls(
            model,
            lines,
            sha256(f"{model_digest(model)}\n{lines}".encode()).hexdigest(),
            rules,
            grants,
            _enforcer(model, rules, grants),
            frozenset(chain(*(rule.cells for rule in rules), *(grant.cells for grant in grants))),
            frozenset(rule.purpose for rule in rules) - {"*"},
        )

    @property
    def named(self) -> tuple[frozenset[str], frozenset[str]]:
        """The owners and the relations that a rule or grant names."""
        owners = {rule.owner for rule in self._rules} | {grant.owner for grant in self._grants}
        return frozenset(owners - {"*"}), frozenset(rule.relation for rule in self._rules) - {"*"}

    @property
    def subjects(self) -> frozenset[str]:
        """Whom a rule or grant names: domains, roles, and single agents as `agent:atlas`."""
        return frozenset(chain((r.role for r in self._rules), (g.subject for g in self._grants))) - {"*"}

    @property
    def roles(self) -> frozenset[str]:
        """The roles that are granted to somebody."""
        return frozenset(grant.role for grant in self._grants)

    @property
    def purposes(self) -> frozenset[str]:
        """The purposes that a rule names."""
        return self._purposes

    def decide(self, subject: Subject, label: Label, act: Act, purpose: str | None = None) -> bool:
        return self.clearance(subject, act, purpose).admits(label)

    def clearance(self, subject: Subject, act: Act, purpose: str | None = None) -> Clearance:
        key = self._key(subject, act, purpose)
        clearance = self._clearances.get(key)
        if clearance is None:
            clearance = self._clearances.keep(key, Clearance(key, partial(self._judge, key)))
        return clearance

    def explain(self, subject: Subject, label: Label, act: Act, purpose: str | None = None) -> Decision:
        """Our own reading of the lines, for people; what is enforced is Casbin's, and a test holds them equal."""
        if not subject.is_fit or _lacks_a_name(label):
            return Decision(False, None, None, "an empty name, or a role's name as a home, is refused before any line")
        roles = self._roles(subject, label)
        applying = [rule for rule in self._rules if rule.role in roles and _applies(rule, label, act, purpose)]
        denying = [rule for rule in applying if rule.eft == "deny"]
        deciding = denying or applying
        if not deciding:
            return Decision(False, None, None, "no line allows it")
        numbers = ", ".join(str(rule.number) for rule in deciding)
        why = f"{'denied' if denying else 'allowed'} by {'line' if len(deciding) == 1 else 'lines'} {numbers}"
        return Decision(not denying, deciding[0].number, deciding[0].text, why)

    def roles_of(self, subject: Subject) -> list[str]:
        """The roles granted to the subject over some owner's labels, for display; a verdict needs the label."""
        own = {subject.domain, AGENT + subject.agent}
        owners = {grant.owner for grant in self._grants} if subject.is_fit else ()
        return sorted(set(chain(*(reached(own, within(self._grants, owner)) for owner in owners))) - own)

    def _key(self, subject: Subject, act: Act, purpose: str | None) -> tuple[str, ...]:
        """All of a subject that can matter.

        INVARIANT: a subject that can't be allowed anything shares its key with none that can.
        """
        if not subject.is_fit:
            return (self.digest, "", "", "", act.value)
        agent = subject.agent if AGENT + subject.agent in self._names else ""
        return (self.digest, subject.domain, agent, _named(purpose, self._purposes), act.value)

    def _judge(self, key: tuple[str, ...], label: Label) -> bool:
        """INVARIANT: a verdict depends on the key and the label, on nothing else."""
        _, home, agent, purpose, act = key
        return bool(home) and not _lacks_a_name(label) and self._ask(self._request(home, agent, label, act, purpose))

    def _request(self, home: str, agent: str, label: Label, act: str, purpose: str) -> Request:
        """Names that no line knows go in as stand-ins, equal where the names are equal.

        Casbin remembers each name it was ever asked about; of stand-ins there are only a few.
        """
        strange: dict[str, str] = {}

        def known(name: str) -> str:
            return name if name in self._names else strange.setdefault(name, f"?{len(strange)}")

        return Request(
            home=known(home),
            agent=known(AGENT + agent),
            owner=known(label.owner),
            told=known(label.told),
            scope=label.scope.value,
            relation=known(label.relation),
            act=act,
            purpose=purpose,
        )

    def _ask(self, request: Request) -> bool:
        verdict = self._asked.get(request)
        if verdict is not None:
            return verdict
        try:
            with _PARSING:
                verdict = self._enforcer.enforce(*request) is True
        except _CASBIN_ERRORS as error:
            _log.error("casbin failed over a request, which counts as no: %s", type(error).__name__)
            raise _Undecided from error
        return self._asked.keep(request, verdict)

    def _roles(self, subject: Subject, label: Label) -> set[str]:
        roles = reached({subject.domain, AGENT + subject.agent}, within(self._grants, label.owner)) | {"*"}
        if subject.domain == label.owner:
            roles = roles - {"shared-reader"} | {"owner"}
        return roles | {"told"} if subject.domain == label.told else roles


def load_folder(path: Path) -> Policy:
    """The policy of a folder that holds `model.conf` and `policy.csv`."""
    return Policy.parse(_text(path / "model.conf"), _text(path / "policy.csv"))


def model_digest(model: str) -> str:
    return sha256(_bare(model).encode(errors="surrogatepass")).hexdigest()


def _bare(model: str) -> str:
    """Without comments, blank lines and margins: one of them inside the matcher would cut it short for Casbin."""
    lines = (line.strip() for line in model.split("\n"))
    return "\n".join(line for line in lines if line and not line.startswith("#"))


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except OSError as error:
        raise bad_policy(f"{path.name} cannot be read: {error.strerror}", path.name) from error
    except UnicodeDecodeError as error:
        raise bad_policy(f"{path.name} is not UTF-8", path.name) from error


def _enforcer(model: str, rules: Iterable[Rule], grants: tuple[Grant, ...]) -> Enforcer:
    """A fresh one for each version: reloading one in place lets denials slip. Cells go in as such, never as text."""
    conf = Model()
    conf.load_model_from_text(_bare(model))
    for rule in rules:
        conf.add_policy("p", "p", list(rule.cells))
    for grant in grants:
        conf.add_policy("g", "g", list(grant.cells))
    enforcer = Enforcer(conf)
    # Casbin follows ten links unless told otherwise, and would overlook a denial behind the eleventh.
    links = DomainManager(len(grants) + 2)
    links.add_domain_matching_func(lambda asked, granted: granted == "*")
    enforcer.set_role_manager(links)
    enforcer.build_role_links()
    return enforcer


def _named(purpose: str | None, purposes: frozenset[str]) -> str:
    """A purpose that no line names opens what needs no purpose, as if none were given."""
    return purpose if purpose in purposes else ""


def _lacks_a_name(label: Label) -> bool:
    return not (label.owner and label.told and label.relation)


def _applies(rule: Rule, label: Label, act: Act, purpose: str | None) -> bool:
    return (
        rule.act in ("*", act)
        and rule.scope in ("*", label.scope)
        and rule.relation in ("*", label.relation)
        and rule.owner in ("*", label.owner)
        and rule.purpose in ("*", purpose)
    )
