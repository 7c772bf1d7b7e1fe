"""How answers look in a terminal."""

from __future__ import annotations

from collections.abc import Iterable

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from hub.answers import Graph, Memory, Recalled, Timeline
from hub.codec import encode
from hub.demo import Asked, Beat, Said, WhoSees, path
from hub.facts import Label
from hub.hub import DEMO_AGENTS


def console(*, stderr: bool = False) -> Console:
    return Console(stderr=stderr, soft_wrap=False)


def show_json(value: object) -> None:
    click.echo(encode(value).decode())


def recalled(answer: Recalled) -> Table:
    title = f"confidence: {answer.confidence.level}"
    table = Table("memory", "status", "score", "from", "why", title=title, caption=answer.recall_id)
    for memory in (*answer.memories, *answer.upcoming):
        table.add_row(
            escape(_flagged(memory)), memory.status, f"{memory.score:.2f}", memory.author.agent, escape(path(memory))
        )
    return table


def histories(answer: Timeline) -> Table:
    table = Table("slot", "value", "from", "to", "status", "told by")
    for slot in answer.slots:
        for memory in slot.intervals:
            table.add_row(
                escape(f"{slot.subject} · {slot.relation}"),
                escape(str(memory.value)),
                _day(memory.valid_from.isoformat()),
                "" if memory.valid_to is None else _day(memory.valid_to.isoformat()),
                memory.status,
                memory.author.agent,
            )
    return table


def network(answer: Graph) -> Table:
    names = {node.id: node.name for node in answer.nodes}
    table = Table("from", "relation", "to")
    for node in answer.nodes:
        for relation, value in node.attributes.items():
            table.add_row(escape(node.name), relation, escape(str(value)))
    for edge in answer.edges:
        table.add_row(escape(names[edge.source]), edge.relation, escape(names[edge.target]), style="cyan")
    return table


def beat(screen: Console, happening: Beat) -> None:
    """One beat of the demo."""
    match happening:
        case str():
            screen.print()
            screen.rule(f"[bold]{escape(happening)}", align="left", style="dim")
        case Said():
            _said(screen, happening)
        case Asked():
            _asked(screen, happening)
        case WhoSees():
            screen.print(_who_sees(happening))


def _said(screen: Console, said: Said) -> None:
    screen.print(f"[bold]{_who(said.agent)}[/] hears: “{escape(said.text)}”")
    for text, receipt in zip(said.facts, said.answer.facts, strict=True):
        where = _label(receipt.label)
        screen.print(f"    remembers [green]{escape(text)}[/]  [dim]{receipt.outcome}, filed under {where}[/]")


def _asked(screen: Console, asked: Asked) -> None:
    purpose = "" if asked.purpose is None else f", for the purpose `{asked.purpose}`"
    then = "" if asked.as_of is None else ", as of the booking"
    screen.print(f"[bold]{_who(asked.agent)}[/] asks{purpose}{then}: “{escape(asked.question)}”  [dim]{asked.note}[/]")
    memories = (*asked.answer.memories, *asked.answer.upcoming)
    for memory in memories:
        via = path(memory)
        why = f"  [dim]via {escape(via)}[/]" if via else ""
        core = "  [dim](core)[/]" if memory.core else ""
        screen.print(f"    [cyan]{escape(_flagged(memory))}[/]{why}{core}")
    if not memories:
        screen.print("    [yellow]nothing it may know[/]")


def _who_sees(table_of: WhoSees) -> Table:
    table = Table(title=escape(table_of.title), title_justify="left")
    table.add_column("fact")
    for agent in DEMO_AGENTS:
        table.add_column(f"{agent}\n[dim]{DEMO_AGENTS[agent][0]}[/]", justify="center")
    for sight in table_of.sights:
        marks = (sight.decisions[agent] for agent in DEMO_AGENTS)
        table.add_row(escape(sight.text), *(_mark(d.allowed, d.line_number) for d in marks))
    table.caption = "✓ with the line of policies/policy.csv; · no line allows it"
    return table


def _mark(allowed: bool, line: int | None) -> str:
    return f"[green]✓[/] [dim]{line}[/]" if allowed else "[red]·[/]"


def _who(agent: str) -> str:
    return f"{agent} ({DEMO_AGENTS[agent][0]})"


def _label(label: Label) -> str:
    return f"{label.owner}, {label.scope}" + ("" if label.told == label.owner else f", told to {label.told}")


def _flagged(memory: Memory) -> str:
    return memory.text + (f"  (contested by {', '.join(memory.contested_by)})" if memory.contested_by else "")


def _day(moment: str) -> str:
    return moment.replace("T00:00:00+00:00", "").replace("+00:00", "Z")


def rows(title: str, columns: Iterable[str], lines: Iterable[Iterable[str]]) -> Table:
    table = Table(*columns, title=title)
    for line in lines:
        table.add_row(*(escape(cell) for cell in line))
    return table
