"""How answers look in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

import click
from rich.console import Console, Group
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from hub.answers import Graph, Memory, Recalled, Timeline
from hub.cli.tables import Rows
from hub.cli.tables import rows as rows
from hub.codec import encode
from hub.demo import Asked, Beat, Said, WhoSees, path
from hub.errors import HubError
from hub.facts import Label
from hub.hub import DEMO_AGENTS


def console(*, stderr: bool = False) -> Console:
    """INVARIANT: what is printed is shown as it is, never read as markup: it may hold anybody's text."""
    return Console(stderr=stderr, soft_wrap=False, markup=False, emoji=False)


def show_json(value: object) -> None:
    """In UTF-8, whatever the terminal speaks."""
    click.echo(encode(value))


def refused(error: HubError) -> None:
    told = Text.assemble(("error: ", "bold red"), f"{error.message} ", (f"({error.code})", "dim"), f"\n{error.fix}")
    console(stderr=True).print(told)


def recalled(answer: Recalled) -> Group:
    """With the id that `hub why` asks for, and with what is missing where there is nothing to be told."""
    memories = (*answer.memories, *answer.upcoming)
    recall_id = Text(answer.recall_id, no_wrap=True)
    if not memories:
        gaps = [Text(f"    {gap.topic}: {gap.reason}") for gap in answer.confidence.gaps]
        return Group(Text("nothing that this agent may know answers this"), *gaps, recall_id)
    explained = any(memory.explain is not None for memory in memories)
    columns = ("memory", "status", "score", "from", "why", *(("made of",) if explained else ()))
    lines = [(*_recalled(memory), *((_made_of(memory),) if explained else ())) for memory in memories]
    return Group(rows(f"confidence: {answer.confidence.level}", columns, lines), recall_id)


def _recalled(memory: Memory) -> tuple[str, ...]:
    return _flagged(memory), memory.status, f"{memory.score:.2f}", memory.author.agent, path(memory)


def _made_of(memory: Memory) -> str:
    parts = memory.explain
    if parts is None:
        return ""
    names = ("lexical", "dense", "entity", "graph", "recency", "importance", "use")
    return ", ".join(f"{name} {getattr(parts, name):.2f}" for name in names if getattr(parts, name))


def histories(answer: Timeline) -> Rows:
    columns = ("slot", "value", "from", "to", "status", "told by", "known since")
    return rows("Timeline", columns, _stretches(answer), whole=("from", "to", "known since"))


def _stretches(answer: Timeline) -> Iterator[tuple[str, ...]]:
    for slot in answer.slots:
        for memory in slot.intervals:
            yield (
                f"{slot.subject} · {slot.relation}",
                str(memory.value),
                _day(memory.valid_from.isoformat()),
                "" if memory.valid_to is None else _day(memory.valid_to.isoformat()),
                memory.status,
                memory.author.agent,
                _day(memory.recorded_at.isoformat()),
            )


def network(answer: Graph) -> Rows:
    names = {node.id: node.name for node in answer.nodes}
    own = [(n.name, relation, str(value)) for n in answer.nodes for relation, value in n.attributes.items()]
    between = [(names[edge.source], edge.relation, names[edge.target]) for edge in answer.edges]
    styles = [""] * len(own) + ["cyan"] * len(between)
    return rows("Graph", ("from", "relation", "to"), own + between, styles=styles)


def beat(screen: Console, happening: Beat) -> None:
    """One beat of the demo."""
    match happening:
        case str():
            screen.print()
            screen.rule(style="dim")
            screen.print(Text(happening, style="bold"))
        case Said():
            _said(screen, happening)
        case Asked():
            _asked(screen, happening)
        case WhoSees():
            screen.print(_who_sees(happening))


def _said(screen: Console, said: Said) -> None:
    screen.print(_styled(f"[bold]{escape(_who(said.agent))}[/] hears: “{escape(said.text)}”"))
    for text, receipt, replaced in zip(said.facts, said.answer.facts, said.replaced, strict=True):
        became = f"in the place of {replaced}" if replaced else receipt.outcome
        where = escape(f"{became}, filed under {_label(receipt.label)}")
        screen.print(_styled(f"    remembers [green]{escape(text)}[/]  [dim]{where}[/]"))


def _asked(screen: Console, asked: Asked) -> None:
    purpose = "" if asked.purpose is None else f", for the purpose `{asked.purpose}`"
    then = "" if asked.as_of is None else ", as of the booking"
    who, note = escape(_who(asked.agent)), escape(asked.note)
    screen.print(_styled(f"[bold]{who}[/] asks{purpose}{then}: “{escape(asked.question)}”  [dim]{note}[/]"))
    memories = (*asked.answer.memories, *asked.answer.upcoming)
    for memory in memories:
        via = path(memory)
        why = f"  [dim]via {escape(via)}[/]" if via else ""
        core = "  [dim](core)[/]" if memory.core else ""
        screen.print(_styled(f"    [cyan]{escape(_flagged(memory))}[/]{why}{core}"))
    if not memories:
        screen.print(_styled("    [yellow]nothing it may know[/]"))


def _who_sees(table_of: WhoSees) -> Table:
    table = Table(title=Text(table_of.title), title_justify="left")
    table.add_column("fact", overflow="fold")
    for agent in DEMO_AGENTS:
        table.add_column(Text.assemble(f"{agent}\n", (DEMO_AGENTS[agent][0], "dim")), justify="center", overflow="fold")
    for sight in table_of.sights:
        marks = (sight.decisions[agent] for agent in DEMO_AGENTS)
        table.add_row(Text(sight.text), *(_mark(d.allowed, d.line_number) for d in marks))
    table.caption = "✓ with the line of policies/policy.csv; · no line allows it"
    return table


def _mark(allowed: bool, line: int | None) -> Text:
    return Text.assemble(("✓", "green"), (f" {line}", "dim")) if allowed else Text("·", style="red")


def _styled(markup: str) -> Text:
    """What is written here, with what others have said in it escaped."""
    return Text.from_markup(markup, emoji=False)


def _who(agent: str) -> str:
    return f"{agent} ({DEMO_AGENTS[agent][0]})"


def _label(label: Label) -> str:
    return f"{label.owner}, {label.scope}" + ("" if label.told == label.owner else f", told to {label.told}")


def _flagged(memory: Memory) -> str:
    return memory.text + (f"  (contested by {', '.join(memory.contested_by)})" if memory.contested_by else "")


def _day(moment: str) -> str:
    return moment.replace("T00:00:00+00:00", "").replace("+00:00", "Z")
