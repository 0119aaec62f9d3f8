"""A lesson on paper for students: texts, programs and a picture of each scene, with room for answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ..stage.drawing.frames import Film
from ..stage.drawing.marks import Box, Picture, Text
from ..stage.export.pdf import A4, Pen, opened
from ..stage.scene import theme as looks
from ..stage.scene.text_widths import width
from .plans import EXERCISES, WRONG, Plan, Question
from .rehearsing import Rehearsed

EDGE = 62.0  # px, around what is written
BODY, CODE = 13.5, 12.0  # sizes of text in px
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
            font, scale = (("sans", 1.0), ("mono", CODE / BODY))[k % 2]
            before = piece[: len(piece) - len(piece.lstrip())]
            if word := piece.strip():
                left = x + width(before, size * scale, font)
                self.pen.draw(Text(left, y, word, size * scale, fill, font, "start"))
            x += width(piece, size * scale, font)

    def heading(self, text: str, size: float) -> None:
        """Write a heading, with room below it for some lines."""
        self.y += size * 0.6
        top = self.room(size * LEADING + 3 * BODY * LEADING)
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
                self.line(line, BODY, indent=indent)
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
            self.pen.draw(Text(EDGE + 4, mark + BODY * 1.1, "•", BODY, "ink", "sans", "start"))

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
        return text * BODY * LEADING + 2 * GAP + RULE * lines

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
    return sum(width(piece, (BODY, CODE)[k % 2], ("sans", "mono")[k % 2]) for k, piece in enumerate(pieces))
