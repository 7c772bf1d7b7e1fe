"""What is known about relations: a frozen value that also says how a claim reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from hub.documents import Fields, parse, shortened
from hub.errors import Conflict, Incorrect
from hub.facts import CUSTOMER, Arbitration, Cardinality, Claim, Relation, Scope, Value, folded
from hub.registry.reading import (
    BAD,
    DAY,
    EVERYBODY,
    RECORD_KINDS,
    SAME_AS,
    Lexicon,
    checked_relation,
    read_domain,
    read_half_lives,
    read_kinds,
    read_lexicon,
    read_redaction,
    read_relations,
    read_texts,
    read_trust,
    read_words,
)

__all__ = ["DEFAULT_TRUST", "SAME_AS", "Promotion", "Registry", "checked_relation", "kind_words", "plainly"]

DEFAULT_TRUST = 0.5

_PROVISIONAL_TTL = 30 * DAY
_DEFAULT_HALF_LIFE = 90 * DAY
_WORDS = ("contexts", "kinds", "words")
_SAME_AS_LABELS = (("en", "same as"), ("ko", "같은 것"), ("vi", "cũng là"), ("ja", "同じもの"))


@dataclass(frozen=True, slots=True)
class Promotion:
    """The recorded act that makes a provisional relation a known one.

    `owner` None leaves every claim with the domain of its writer.
    """

    relation: str
    scope: Scope
    arbitration: Arbitration = Arbitration.LATEST
    owner: str | None = None

    def __post_init__(self) -> None:
        if self.owner is None and self.arbitration is Arbitration.OWNER:
            raise Incorrect(
                "owner_needed",
                f"`{self.relation}` cannot be arbitrated by its owner, for it has none",
                "name an `owner`, or choose `latest`, `trust` or `review`",
                where="arbitration",
            )

    @classmethod
    def read(cls, plain: object) -> Promotion:
        """The promotion that `plain` made these plain values of."""
        fields = Fields.of(plain, "promotion", BAD, ("relation", "scope", "arbitration", "owner"))
        return cls(
            checked_relation(fields.text("relation")),
            fields.choice("scope", (Scope.PRIVATE, Scope.SHARED)),
            fields.choice("arbitration", Arbitration),
            None if fields.values.get("owner") is None else read_domain(fields, "owner"),
        )

    def plain(self) -> dict[str, str | None]:
        return {
            "relation": self.relation,
            "scope": self.scope.value,
            "arbitration": self.arbitration.value,
            "owner": self.owner,
        }

    def made(self, writer_domain: str) -> Relation:
        return Relation(
            self.relation,
            self.owner or writer_domain,
            cardinality=Cardinality.ONE,
            scope=self.scope,
            arbitration=self.arbitration,
            memory_class="state",
        )


@dataclass(frozen=True, kw_only=True)
class Registry:
    """Every known relation, the memory classes, the trust in each domain, and the words of the languages.

    The relations of the file come first; promotions add to them and never replace one.
    """

    relations: Mapping[str, Relation] = field(default_factory=dict)
    half_lives: Mapping[str, int | None] = field(default_factory=dict)
    trust: Mapping[str, float] = field(default_factory=dict)
    redaction: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    negation: Mapping[str, str] = field(default_factory=lambda: {"en": "not"})
    context_words: Lexicon = field(default_factory=dict)
    kind_words: Lexicon = field(default_factory=dict)
    common_words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    promotions: tuple[Promotion, ...] = ()

    contexts: Mapping[str, tuple[str, ...]] = field(init=False, repr=False, compare=False)
    """The words that call for a context, all languages together."""
    kinds: Mapping[str, tuple[str, ...]] = field(init=False, repr=False, compare=False)
    """The nouns of a kind of entity, all languages together."""
    words: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """Common words of all languages: a query without any of them is hardly language."""
    _labels: Mapping[tuple[str, str], str] = field(init=False, repr=False, compare=False)
    _templates: Mapping[tuple[str, str], str] = field(init=False, repr=False, compare=False)
    _kind_of: Mapping[str, str] = field(init=False, repr=False, compare=False)
    _promoted: Mapping[str, Promotion] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        labels = {(SAME_AS, lang): text for lang, text in _SAME_AS_LABELS}
        labels |= {(r.name, lang): text for r in self.relations.values() for lang, text in r.labels}
        templates = {(r.name, lang): text for r in self.relations.values() for lang, text in r.templates}
        derived = {
            "contexts": {name: _flat(by_lang) for name, by_lang in self.context_words.items()},
            "kinds": {name: _flat(by_lang) for name, by_lang in self.kind_words.items()},
            "words": _flat(self.common_words),
            "_labels": labels,
            "_templates": templates,
            "_kind_of": _kind_of(self.kind_words),
            "_promoted": {promotion.relation: promotion for promotion in self.promotions},
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    @classmethod
    def read(cls, text: str, source: str, words: str = "") -> Registry:
        """The registry written in `text`, read once; `words` is the text of a word list to start from."""
        return _read(text, source, words)

    @classmethod
    def parse(cls, document: object, source: str, words: object = None) -> Registry:
        """The registry in a parsed document, which adds to the words it is given; raises `bad_registry`."""
        top = Fields.of(document, source, BAD, ("classes", "trust", "redaction", "negation", "relations", *_WORDS))
        shipped = Fields.of({} if words is None else words, "words.yaml", BAD, _WORDS)
        half_lives = read_half_lives(top)
        contexts = read_lexicon(shipped, "contexts") | read_lexicon(top, "contexts")
        return cls(
            relations=read_relations(top, half_lives, contexts),
            half_lives=half_lives,
            trust=read_trust(top),
            redaction=read_redaction(top),
            negation=dict(read_texts(top, "negation")) or {"en": "not"},
            context_words=contexts,
            kind_words=read_kinds(shipped, top),
            common_words=read_words(shipped) | read_words(top),
        )

    # --- relations ---------------------------------------------------------------------------------------------

    def knows(self, name: str) -> bool:
        """Whether `name` is more than provisional."""
        return name in self._promoted or self._stands(name)

    def is_provisional(self, name: str) -> bool:
        """Whether a label's `relation` is a name that only some writer has chosen."""
        return not self.knows(name) and name not in RECORD_KINDS

    def _stands(self, name: str) -> bool:
        return name in self.relations or name == SAME_AS

    def of(self, name: str, writer_domain: str) -> Relation:
        """The relation as it holds for a claim of `writer_domain`; raises `bad_relation` for what is no name."""
        known = self.relations.get(name)
        if known is not None:
            return known
        promotion = self._promoted.get(name)
        return _provisional(name, writer_domain) if promotion is None else promotion.made(writer_domain)

    def promoted(
        self, name: str, *, scope: Scope, arbitration: Arbitration | None = None, owner: str | None = None
    ) -> Registry:
        """The registry with the provisional `name` made known; promoting again changes the promotion."""
        if self._stands(name):
            raise Conflict("already_known", f"`{name}` is no provisional relation", "change it in the registry's file")
        named = {"relation": name, "scope": scope.value, "owner": owner}
        promotion = Promotion.read({**named, "arbitration": (arbitration or Arbitration.LATEST).value})
        return replace(self, promotions=tuple({**self._promoted, name: promotion}.values()))

    def demoted(self, name: str) -> Registry:
        """The registry in which `name` is provisional again."""
        if name not in self._promoted:
            raise Conflict("not_promoted", f"`{shortened(name)}` is not promoted", "list the promotions")
        return replace(self, promotions=tuple(p for p in self.promotions if p.relation != name))

    def with_promotions(self, promotions: Iterable[Promotion]) -> Registry:
        """The registry with exactly these promotions; where its file knows the relation, the file stands."""
        latest = {promotion.relation: promotion for promotion in promotions}
        return replace(self, promotions=tuple(p for p in latest.values() if not self._stands(p.relation)))

    def trust_of(self, domain: str) -> float:
        """How far the domain's word counts, 0..1."""
        return self.trust.get(domain, DEFAULT_TRUST)

    def redacted(self, domain: str) -> frozenset[str]:
        """The kinds of personal data that are blanked out in what the domain hears."""
        return frozenset((*self.redaction.get(EVERYBODY, ()), *self.redaction.get(domain, ())))

    def half_life(self, memory_class: str) -> int | None:
        """In microseconds; None for memories that do not fade."""
        return self.half_lives.get(memory_class, _DEFAULT_HALF_LIFE)

    def kind_of(self, word: str) -> str | None:
        """The kind of entity that a noun of any language names."""
        return self._kind_of.get(folded(word))

    # --- how a claim reads -------------------------------------------------------------------------------------

    def render(self, claim: Claim) -> str:
        """`label: value` of the customer, `Name · label: value` of anything else, in the claim's language.

        A relation's own template stands in for `label: value`; a negation never uses it.
        """
        said = claim.value if claim.obj is None else claim.obj.name
        if not isinstance(said, str):
            said = plainly(said)
        if claim.negated:
            text = self._negated(claim, said)
        elif (claim.relation, "en") in self._templates:
            return self._by_template(claim, said)
        else:
            label = self._labels.get((claim.relation, claim.lang)) or self.label(claim.relation, claim.lang)
            text = f"{label}: {said}"
        return text if claim.subject.id == CUSTOMER else f"{claim.subject.name} · {text}"

    def label(self, relation: str, lang: str) -> str:
        """The relation's words in the language, else in English, else its name."""
        return _in_language(self._labels, relation, lang) or relation.replace("_", " ")

    def _negated(self, claim: Claim, said: str) -> str:
        word = self.negation.get(_base(claim.lang)) or self.negation["en"]
        label = self.label(claim.relation, claim.lang)
        return f"{word} · {label}: {said}" if said else f"{word} · {label}"

    def _by_template(self, claim: Claim, said: str) -> str:
        template = _in_language(self._templates, claim.relation, claim.lang) or ""
        subject = claim.subject
        if subject.id == CUSTOMER:
            kind = self.relations[claim.relation].subject_kind or ""
            return template.format(kind=self.noun(kind, claim.lang) or kind, value=said)
        noun = self.noun(subject.kind, claim.lang)
        if noun is None and "{kind}" in template:  # its name says more than a kind nobody has words for
            return template.format(kind=subject.name, value=said)
        return f"{subject.name} · {template.format(kind=noun, value=said)}"

    def noun(self, kind: str, lang: str) -> str | None:
        """The noun of a language for a kind; None for a kind that nobody has words for."""
        known = self.kind_of(kind)
        if known is None:
            return None
        nouns = self.kind_words[known]
        return (nouns.get(_base(lang)) or nouns["en"])[0]


def kind_words(words: str) -> Lexicon:
    """The nouns of each kind in the text of a word list, by language."""
    return read_kinds(Fields.of(parse(words, "words.yaml"), "words.yaml", BAD, _WORDS), Fields({}, "words.yaml", BAD))


def plainly(value: Value | None) -> str:
    """A value without ornament: `800`, `2.5`, `true`."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).removesuffix(".0")


def _base(lang: str) -> str:
    return lang.partition("-")[0].lower()


def _in_language(table: Mapping[tuple[str, str], str], relation: str, lang: str) -> str | None:
    return table.get((relation, lang)) or table.get((relation, _base(lang))) or table.get((relation, "en"))


def _flat(by_lang: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for words in by_lang.values() for word in words))


@lru_cache(maxsize=16)
def _read(text: str, source: str, words: str) -> Registry:
    return Registry.parse(parse(text, source), source, parse(words, "words.yaml"))


def _kind_of(kinds: Lexicon) -> dict[str, str]:
    return {folded(noun): kind for kind, by_lang in kinds.items() for noun in (kind, *_flat(by_lang))}


@lru_cache(maxsize=4096)
def _provisional(name: str, writer_domain: str) -> Relation:
    if name == SAME_AS:
        return Relation(name, writer_domain, memory_class="identity", labels=_SAME_AS_LABELS)
    return Relation(
        checked_relation(name),
        writer_domain,
        cardinality=Cardinality.ONE,
        ttl=_PROVISIONAL_TTL,
        memory_class="state",
        provisional=True,
    )
