"""A lesson as one page that needs no network: for the class with its players, and for the lecturer with the answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from ..stage.drawing.frames import Film
from ..stage.export.html import assembled
from ..stage.export.svg import markup
from .plans import EXERCISES, WRONG, Plan, Question, Scene
from .rehearsing import Rehearsed

#: Starts every player with the one front end of the page. Where that fails, still pictures remain.
START = """
const choice = document.getElementById("for-lecturer");
const turn = () => {
  if (choice && location.hash === "#lecturer") choice.checked = true;
};
turn();
addEventListener("hashchange", turn);
try {
  const bundles = {};
  for (const stage of document.querySelectorAll("[data-show]")) {
    const { show, bundle } = stage.dataset;
    const { mount } = await (bundles[bundle] ??= frontEnd(bundle));
    mount(stage, await unpack(show));
  }
} catch (error) {
  const note = document.getElementById("damage");
  note.hidden = false;
  note.textContent = `This page is damaged, so there are only still pictures. (${error})`;
}
"""

STYLE = """
:root { color-scheme: light dark; --ink: light-dark(#1c1f24, #e6e8eb); --quiet: light-dark(#5a626e, #a3abb6);
  --paper: light-dark(#fff, #16181c); --sheet: light-dark(#f5f6f8, #1f2227); --rule: light-dark(#d5d9df, #3a4049);
  --mark: light-dark(#1f4fa3, #9dc0ff); }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--paper); font: 17px/1.6 system-ui, sans-serif; }
.bar { position: sticky; top: 0; z-index: 5; display: flex; gap: 4px; align-items: center; padding: 6px 24px;
  background: var(--sheet); border-bottom: 1px solid var(--rule); font-size: 14px; }
.bar b { margin-right: auto; font-weight: 600; }
.bar label { position: relative; padding: 3px 12px; border: 1px solid transparent; border-radius: 6px;
  cursor: pointer; }
.bar input { position: absolute; opacity: 0; }
.bar label:has(:checked) { background: var(--paper); border-color: var(--rule); font-weight: 600; }
.bar label:has(:focus-visible) { outline: 2px solid var(--mark); outline-offset: 1px; }
.page { max-width: 1180px; margin: 0 auto; padding: 8px 24px 64px; }
.page[hidden], body:has(#for-lecturer:checked) .class, body:not(:has(#for-lecturer:checked)) .lecturer {
  display: none; }
.columns, :is(p, ul, ol, pre):where(:not(.adviz *)) { max-width: 46rem; }
h1 { margin: 32px 0 4px; font-size: 34px; line-height: 1.2; }
h2 { margin: 56px 0 4px; font-size: 25px; line-height: 1.25; }
h3:where(:not(.adviz *)) { margin: 24px 0 4px; font-size: 17px; }
h2 { scroll-margin-top: 56px; }
a:where(:not(.adviz *)) { color: var(--mark); }
.lead { font-size: 20px; color: var(--quiet); }
.time { margin: 0 0 8px; color: var(--quiet); font-size: 14px; }
dfn { font-style: normal; font-weight: 600; }
:is(code, pre):where(:not(.adviz *)) { font: 0.92em/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
pre:where(:not(.adviz *)) { padding: 10px 16px; overflow-x: auto; background: var(--sheet);
  border-left: 3px solid var(--rule); }
.columns table { border-collapse: collapse; font-size: 15px; }
.columns :is(th, td) { padding: 4px 16px 4px 0; text-align: left; border-bottom: 1px solid var(--rule); }
.columns .minutes { color: var(--quiet); white-space: nowrap; font-variant-numeric: tabular-nums; }
figure:where(:not(.adviz *)) { margin: 20px 0; scroll-margin-top: 48px; }
.still { overflow-x: auto; }
.still svg { max-width: 100%; height: auto; }
.stage:has(.adviz-player) + .still { display: none; }
.questions p { margin: 6px 0; }
.answer { padding: 2px 0 2px 14px; border-left: 3px solid var(--mark); }
.lecturer details { max-width: 46rem; font-size: 15px; }
#damage { padding: 8px 24px; color: light-dark(#9c2f00, #ffb08a); }
@media (min-width: 1000px) { .columns { max-width: none; display: grid; grid-template-columns: 1fr 1fr; gap: 40px; } }
@media print {
  body { font-size: 11pt; }
  .bar, .stage { display: none; }
  .stage:has(.adviz-player) + .still { display: block; }
  .page { max-width: none; padding: 0; }
  h2, h3 { break-after: avoid; }
  figure, li, pre { break-inside: avoid; }
}
"""

BODY = """<nav class="bar" aria-label="Pages"><b>{title}</b>{pages}</nav>
<p id="damage" role="alert" hidden></p>
<noscript><p>Scripts are off, so there are still pictures instead of players.</p></noscript>
<main>
{content}
</main>"""

CHOICE = '<label><input type="radio" name="page" id="{id}"{checked}>{words}</label>'


def page(plan: Plan, rehearsed: Sequence[Rehearsed], *, solutions: bool = True) -> str:
    """Return a file with everything in it; without `solutions` there is no lecturer's page.

    `rehearsed` are the shows of the scenes, in their order.
    """
    choices = ("for-class", " checked", "Lesson"), ("for-lecturer", "", "Lecturer’s page")
    content = [f'<div class="page class">{_lesson(plan, rehearsed)}</div>']
    if solutions:
        content.append(f'<div class="page lecturer">{_lecturer(plan, rehearsed)}</div>')
    body = BODY.format(
        title=escape(plan.title),
        pages="".join(CHOICE.format(id=id, checked=on, words=words) for id, on, words in choices) if solutions else "",
        content="\n".join(content),
    )
    data = {f"show-{number}": one.document for number, one in enumerate(rehearsed, 1)}
    bundles = {one.front_end.name: one.front_end.text for one in rehearsed}
    return assembled(plan.title, STYLE, body, {**data, **bundles}, START)


# ---- for the class ----


def _lesson(plan: Plan, rehearsed: Sequence[Rehearsed]) -> str:
    clock = list(plan.clock())
    whole = clock[-1][-1]
    scenes = zip(plan.scenes, rehearsed, clock[1:-3], strict=True)
    places = ["opening", *(f"scene-{k}" for k in range(1, len(plan.scenes) + 1)), "fault", "exercises", "closing"]
    return "\n".join(
        [
            f"<h1>{escape(plan.title)}</h1>",
            f'<p class="lead">{inline(plan.summary)}</p>',
            f'<p class="time">A lesson of {whole} minutes in {len(plan.scenes)} scenes. '
            "In a scene, → takes a step and ← goes back; <i>Present</i> fills the screen.</p>",
            '<div class="columns"><div>',
            f"<h3>After this lesson you can</h3>{bullets(plan.goals)}",
            f"<h3>You should know</h3>{bullets(plan.prerequisites)}",
            "</div><div>",
            f"<h3>Timing</h3>{_timetable(clock, places)}",
            "</div></div>",
            _head(places[0], *clock[0]),
            prose(plan.opening.text),
            *(_scene(number, *each) for number, each in enumerate(scenes, 1)),
            _head("fault", *clock[-3]),
            prose(plan.wrong.text),
            f"<pre><code>{escape(plan.wrong.program.strip())}</code></pre>",
            _head("exercises", *clock[-2]),
            prose(plan.exercises.text),
            _asked(plan.exercises.each),
            _head("closing", *clock[-1]),
            prose(plan.closing.text),
        ]
    )


def _scene(number: int, part: Scene, one: Rehearsed, times: tuple[str, int, int]) -> str:
    still = Film(one.show, [one.moment]).picture(one.moment)
    lines = [_head(f"scene-{number}", *times), prose(part.text)]
    lines.append(f'<figure aria-label="Scene {number}: {escape(part.title)}">')
    lines.append(f'<div class="stage" data-show="show-{number}" data-bundle="{one.front_end.name}"></div>')
    lines.append(f'<div class="still">{_programs(one)}{markup(still, "auto")}</div></figure>')
    lines.append(f"<h3>Questions</h3>{_asked(part.questions)}")
    return "\n".join(lines)


def _programs(one: Rehearsed) -> str:
    return "".join(f"<pre><code>{escape(text)}</code></pre>" for text in one.programs)


def _head(place: str, title: str, begin: int, end: int) -> str:
    time = f'<p class="time">{end - begin} min · minute {begin} to {end}</p>'
    return f'<h2 id="{place}">{escape(title)}</h2>{time}'


def _timetable(clock: Iterable[tuple[str, int, int]], places: Iterable[str]) -> str:
    rows = (
        f'<tr><td class="minutes">{begin}–{end}</td><td><a href="#{place}">{escape(title)}</a></td></tr>'
        for (title, begin, end), place in zip(clock, places, strict=True)
    )
    return f"<table><tr><th>Minutes</th><th>Part</th></tr>{''.join(rows)}</table>"


def _asked(questions: Iterable[Question], *, answers: bool = False) -> str:
    items = (
        f"<li>{prose(each.asks)}" + (f'<div class="answer">{prose(each.answer)}</div>' if answers else "") + "</li>"
        for each in questions
    )
    return f'<ol class="questions">{"".join(items)}</ol>'


# ---- for the lecturer ----


def _lecturer(plan: Plan, rehearsed: Sequence[Rehearsed]) -> str:
    times = list(plan.clock())
    scenes = zip(plan.scenes, rehearsed, times[1:-3], strict=True)
    return "\n".join(
        [
            f"<h1>{escape(plan.title)}: for the lecturer</h1>",
            '<p class="lead">What to do when, the answers, the fault and the solutions.</p>',
            _cue(times[0]),
            prose(plan.opening.notes),
            *(_scene_notes(*each) for each in scenes),
            _cue(times[-3], WRONG),
            prose(plan.wrong.fault),
            f"<pre><code>{escape(plan.wrong.mended.strip())}</code></pre>",
            _cue(times[-2], EXERCISES),
            _asked(plan.exercises.each, answers=True),
            _cue(times[-1]),
            prose(plan.closing.notes),
        ]
    )


def _cue(times: tuple[str, int, int], title: str = "") -> str:
    name, begin, end = times
    return f'<h2>{escape(title or name)}</h2><p class="time">{end - begin} min · minute {begin} to {end}</p>'


def _scene_notes(part: Scene, one: Rehearsed, times: tuple[str, int, int]) -> str:
    said = "".join(f"<li>{escape(sentence)}</li>" for sentence in one.sentences)
    return "\n".join(
        [
            _cue(times),
            f'<p class="presses">{escape(_presses(part, one))}</p>',
            prose(part.notes),
            f"<h3>Answers</h3>{_asked(part.questions, answers=True)}",
            f"<details><summary>What the scene says after each press</summary>"
            f'<ol start="{one.begin}">{said}</ol></details>',
        ]
    )


def _presses(part: Scene, one: Rehearsed) -> str:
    if one.questions:
        return f"The show asks {one.questions} questions."
    level = f"At the level {one.level.capitalize()}: " if one.show.get("opening") else ""
    stop = f"; stop after press {one.press(part.until)}" if part.until else ""
    return f"{level}{one.presses} presses of →{stop}."


# ---- texts ----


def inline(text: str) -> str:
    """Return a line of text with its `code` and its *terms*; all else in it is text.

    >>> inline("an *edge* from `a<b`")
    'an <dfn>edge</dfn> from <code>a&lt;b</code>'
    """
    pieces = re.split(r"(`[^`]+`|\*[^*`]+\*)", text)
    marks = {"`": "code", "*": "dfn"}
    return "".join(
        f"<{marks[piece[0]]}>{escape(piece[1:-1])}</{marks[piece[0]]}>" if k % 2 else escape(piece)
        for k, piece in enumerate(pieces)
    )


def prose(text: str) -> str:
    """Return paragraphs; those whose lines begin with four spaces are kept as they are."""
    blocks = text.strip("\n").split("\n\n")
    return "".join(
        f"<pre><code>{escape(shifted(block))}</code></pre>" if block.startswith("    ") else f"<p>{inline(block)}</p>"
        for block in blocks
    )


def shifted(block: str) -> str:
    """Return lines without the four spaces before them."""
    return "\n".join(line[4:] for line in block.split("\n"))


def bullets(texts: Iterable[str]) -> str:
    """Return a list."""
    return f"<ul>{''.join(f'<li>{inline(text)}</li>' for text in texts)}</ul>"
