"""A lesson as one page that needs no network: for the class with its players, and for the lecturer with the answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from ..stage.drawing.frames import Film
from ..stage.drawing.marks import Box, Picture, Text
from ..stage.export.html import assembled
from ..stage.export.pdf import A4, Pen, opened
from ..stage.export.svg import markup
from ..stage.scene import theme as looks
from ..stage.scene.text_widths import width
from .plans import EXERCISES, WRONG, Plan, Question, Rehearsed, Scene

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
    programs = "".join(f"<pre><code>{escape(text)}</code></pre>" for text in one.programs)
    lines.append(f'<div class="still">{programs}{markup(still, "auto")}</div></figure>')
    lines.append(f"<h3>Questions</h3>{_asked(part.questions)}")
    return "\n".join(lines)


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


# ---- handouts ----


EDGE = 62.0  # px, around what is written
HANDOUT, CODE = 13.5, 12.0  # sizes of text in px
LEADING = 1.5  # from one line to the next, in sizes
GAP = 9.0  # px between paragraphs
RULES = 2  # lines for the answer to a question
RULE = 27.0  # px from one of them to the next
TALLEST = 300.0  # px of a picture
LEAST = 0.75  # of a picture's size, where that spares a half-empty page


def handout(plan: Plan, rehearsed: Sequence[Rehearsed]) -> bytes:
    """Return a PDF with everything but the answers; `rehearsed` are the shows of the scenes, in their order."""
    clock = list(plan.clock())
    paper = Paper(plan.title)
    paper.heading(plan.title, 26)
    paper.prose(plan.summary)
    paper.heading("After this lesson you can", 15)
    paper.listed(plan.goals)
    paper.heading("You should know", 15)
    paper.listed(plan.prerequisites)
    paper.part(*clock[0])
    paper.prose(plan.opening.text)
    for scene, one, times in zip(plan.scenes, rehearsed, clock[1:-3], strict=True):
        paper.part(*times)
        paper.prose(scene.text)
        for program in one.programs:
            paper.program(program)
        paper.asked(Film(one.show, [one.moment]).picture(one.moment), scene.questions)
    paper.part(WRONG, *clock[-3][1:])
    paper.prose(plan.wrong.text)
    paper.program(plan.wrong.program)
    paper.rules()
    paper.part(EXERCISES, *clock[-2][1:])
    paper.prose(plan.exercises.text)
    paper.questions(plan.exercises.each, lines=4)
    paper.part(*clock[-1])
    paper.prose(plan.closing.text)
    return bytes(paper.document.output())


class Paper:
    """Pages that are written from top to bottom."""

    def __init__(self, title: str) -> None:
        self.document = opened(title, A4)
        self.pen = Pen(self.document, looks.colors("light"))
        self.title = title
        self.y = A4[1]  # no page yet

    def room(self, height: float) -> float:
        """Return where something of a height begins, on the next page if need be, and go on below it."""
        if self.y + height > A4[1] - EDGE:
            self.document.add_page()
            number = self.document.page_no()
            self.pen.draw(Text(A4[0] / 2, A4[1] - EDGE / 2, f"{self.title} · {number}", 10.5, "muted"))
            self.y = EDGE
        top = self.y
        self.y += height
        return top

    def line(self, text: str, size: float, fill: str = "ink", indent: float = 0.0) -> None:
        """Write a line."""
        top = self.room(size * LEADING)
        self.words(text, EDGE + indent, top + size * 1.1, size, fill)

    def words(self, text: str, x: float, y: float, size: float, fill: str) -> None:
        """Write a line that may have `code` in it."""
        for k, piece in enumerate(re.split(r"`([^`]*)`", text)):
            font, scale = (("sans", 1.0), ("mono", CODE / HANDOUT))[k % 2]
            before = piece[: len(piece) - len(piece.lstrip())]
            if word := piece.strip():
                left = x + width(before, size * scale, font)
                self.pen.draw(Text(left, y, word, size * scale, fill, font, "start"))
            x += width(piece, size * scale, font)

    def heading(self, text: str, size: float) -> None:
        """Write a heading, with room below it for some lines."""
        self.y += size * 0.6
        top = self.room(size * LEADING + 3 * HANDOUT * LEADING)
        self.y = top
        self.line(text, size)
        self.y += GAP / 2

    def part(self, title: str, begin: int, end: int) -> None:
        """Begin a part."""
        self.y += GAP
        self.heading(title, 18)
        self.y -= GAP / 2
        self.line(f"{end - begin} min · minute {begin} to {end}", 11, "muted")
        self.y += GAP / 2

    def prose(self, text: str, indent: float = 0.0) -> None:
        """Write paragraphs."""
        for block in text.strip("\n").split("\n\n"):
            if block.startswith("    "):
                self.program("\n".join(line[4:] for line in block.split("\n")))
                continue
            for line in broken(re.sub(r"\*([^*`]+)\*", r"\1", " ".join(block.split())), A4[0] - 2 * EDGE - indent):
                self.line(line, HANDOUT, indent=indent)
            self.y += GAP

    def program(self, text: str) -> None:
        """Write lines as they are, on a shade."""
        lines = text.strip("\n").split("\n")
        height = len(lines) * CODE * LEADING + 10
        top = self.room(height + GAP)
        self.pen.draw(Box(EDGE, top, A4[0] - 2 * EDGE, height, looks.CORNER, "", "neutral"))
        for k, line in enumerate(lines):
            y = top + 5 + (k + 0.8) * CODE * LEADING
            for column in re.finditer(r"\S+(?: \S+)*", line):
                x = EDGE + 12 + width(" " * column.start(), CODE, "mono")
                self.pen.draw(Text(x, y, column[0], CODE, "ink", "mono", "start"))

    def listed(self, texts: Iterable[str]) -> None:
        """Write a list."""
        for text in texts:
            top = self.y
            self.prose(text, 16)
            self.y -= GAP / 2
            mark = top if self.y > top else EDGE
            self.pen.draw(Text(EDGE + 4, mark + HANDOUT * 1.1, "•", HANDOUT, "ink", "sans", "start"))

    @property
    def free(self) -> float:
        """The room that is left on the page."""
        return max(0.0, A4[1] - EDGE - self.y)

    def asked(self, drawn: Picture, questions: Sequence[Question]) -> None:
        """Draw a picture and write questions on it; those before it fill a page that has no room for the picture."""
        scale = min((A4[0] - 2 * EDGE) / drawn.width, TALLEST / drawn.height, 1.0)
        before = 0
        if (self.free - GAP) / drawn.height < LEAST * scale:
            left = self.free
            for each in questions:
                left -= self.height(each)
                before += left >= 0
        self.questions(questions[:before])
        self.picture(drawn, scale)
        self.questions(questions[before:], first=before + 1)

    def height(self, question: Question, lines: int = RULES) -> float:
        """Return the height of a question with rules for the answer."""
        text = sum(1 for _ in broken(f"0. {question.asks}", A4[0] - 2 * EDGE))
        return text * HANDOUT * LEADING + 2 * GAP + RULE * lines

    def questions(self, questions: Iterable[Question], lines: int = RULES, first: int = 1) -> None:
        """Write questions, each with rules for the answer."""
        for number, each in enumerate(questions, first):
            self.y = self.room(self.height(each, lines) - GAP)
            self.prose(f"{number}. {each.asks}")
            self.rules(lines)

    def rules(self, lines: int = RULES) -> None:
        """Draw rules to write on."""
        for _ in range(lines):
            top = self.room(RULE)
            self.pen.draw(Box(EDGE, top + RULE - 8, A4[0] - 2 * EDGE, 0.4, 0, "neutral"))
        self.y += GAP

    def picture(self, drawn: Picture, scale: float) -> None:
        """Draw a picture at a scale, or a little smaller where that keeps it on the page."""
        if (fitting := (self.free - GAP) / drawn.height) >= LEAST * scale:
            scale = min(scale, fitting)
        top = self.room(drawn.height * scale + GAP)
        self.pen.picture(drawn, EDGE + (A4[0] - 2 * EDGE - drawn.width * scale) / 2, top, scale)


def broken(text: str, room: float) -> Iterator[str]:
    """Yield the lines of a paragraph; `code` is kept on one line where it fits."""
    line = ""
    for word in re.findall(r"(?:`[^`]*`|[^\s`])+", text):
        longer = f"{line} {word}" if line else word
        if line and measured(longer) > room:
            yield line
            longer = word
        line = longer
    if line:
        yield line


def measured(text: str) -> float:
    """Return the width of a line of text with `code` in it."""
    pieces = re.split(r"`([^`]*)`", text)
    return sum(width(piece, (HANDOUT, CODE)[k % 2], ("sans", "mono")[k % 2]) for k, piece in enumerate(pieces))
