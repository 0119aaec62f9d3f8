"""Lessons: what they say is true, their minutes add up, and page and handout hold all of it."""

import re
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import pytest

import adviz as ad
from adviz.__main__ import main
from adviz.lessons.lesson_page import EDGE, Paper
from adviz.lessons.plans import Part, Plan, Question, Scene, WrongProgram, written
from adviz.lessons.shelf import PLANS
from adviz.stage.export.pdf import A4
from adviz.stage.scene.text_widths import advances

from ..stage.test_png_pdf import streams

HOSTILE = '</script><img src=x onerror="alert(1)"> & `<b>`'
NAMES = pytest.mark.parametrize("name", PLANS)


@pytest.fixture(scope="module")
def lessons() -> dict[str, ad.Lesson]:
    """Every lesson once: its shows are played once."""
    return {name: ad.lesson(name) for name in PLANS}


@pytest.fixture(scope="module")
def saved_page(lessons, tmp_path_factory) -> Callable[..., str]:
    """The page of a lesson, which is saved once: all its shows are drawn for it."""
    folder = tmp_path_factory.mktemp("pages")

    @cache
    def page(name: str, **options: bool) -> str:
        return lessons[name].save(folder / f"{name}.html", **options).read_text(encoding="utf-8")

    return page


def texts(of: object) -> Iterator[str]:
    """Every text of a plan."""
    if isinstance(of, str):
        yield of
    elif isinstance(of, tuple):
        for each in of:
            yield from texts(each)
    elif hasattr(of, "__dataclass_fields__"):
        for field in of.__dataclass_fields__:
            yield from texts(getattr(of, field))


@NAMES
def test_a_lesson_has_nine_scenes_and_fifty_minutes(name):
    clock = list(PLANS[name].clock())
    assert len(PLANS[name].scenes) == 9
    assert [begin for _, begin, _ in clock[1:]] == [end for _, _, end in clock[:-1]]
    assert clock[-1][-1] == 50


@NAMES
def test_every_scene_asks_and_every_question_is_answered(name):
    plan = PLANS[name]
    assert all(scene.questions for scene in plan.scenes)
    asked = [each for scene in plan.scenes for each in scene.questions] + list(plan.exercises.each)
    assert all(each.asks and each.answer for each in asked)


@NAMES
def test_code_and_terms_are_closed(name):
    """What is between backquotes and asterisks stays within its paragraph."""
    for text in texts(PLANS[name]):
        if "def " in text:
            continue
        for paragraph in text.split("\n\n"):
            assert paragraph.count("`") % 2 == 0, paragraph
            assert re.sub(r"`[^`]*`", "", paragraph).count("*") % 2 == 0, paragraph


@NAMES
def test_the_fonts_of_the_handout_have_every_character(name):
    known = set(advances("sans")) & set(advances("mono")) | {"\n", "\u0304", "\u0307"}
    missing = {character for text in texts(PLANS[name]) for character in text if character not in known}
    assert missing == set()


@pytest.mark.parametrize(
    ("name", "arguments", "wrong", "right"),
    [
        ("backprop", (1.0, 2.0), (0.5403, 1.0), (2.5403, 1.0)),
        ("forward-or-reverse", (2.0, 0.5, 1.0, 0.0), 0.0, 1.6487),
        ("forward-or-reverse", (2.0, 0.5, 3.0, -1.0), -5.9462, 0.6487),
        ("tape-or-graph", ([[], [(0, 1), (0, 1)], [(1, 1), (1, 1)]],), [8, 2, 1], [4, 2, 1]),
    ],
)
def test_the_wrong_program_is_wrong_as_told_and_the_mended_one_right(name, arguments, wrong, right):
    program = PLANS[name].wrong
    assert written(program.program)(*arguments) == pytest.approx(wrong, abs=1e-4)
    assert written(program.mended)(*arguments) == pytest.approx(right, abs=1e-4)


def test_a_wrong_program_differs_from_the_mended_one_as_little_as_it_can():
    lines = [set(PLANS["backprop"].wrong.program.split("\n")), set(PLANS["backprop"].wrong.mended.split("\n"))]
    assert lines[0] ^ lines[1] == {"    x_bar = a_bar * math.cos(x)", "    x_bar += a_bar * math.cos(x)"}


@pytest.mark.parametrize(
    ("name", "number", "gradient"),
    [
        ("backprop", 1, {"x": 0.5403}),
        ("backprop", 2, {"x": -1.8845}),
        ("backprop", 3, {"x": 4.0, "y": 3.0}),
        ("backprop", 4, {"x": 2.5403, "y": 1.0}),
        ("backprop", 5, {"x": 0.5299, "y": 1.2718}),
        ("backprop", 9, {"x": 2.2974, "y": 1.6487}),
        ("forward-or-reverse", 2, {"x": 1.4174}),
        ("forward-or-reverse", 5, {"x": 0.5, "y": 4.6327, "z": 0.4794}),
        ("forward-or-reverse", 7, {"t": -0.4794}),
    ],
)
def test_the_numbers_in_the_text_are_those_of_the_show(lessons, name, number, gradient):
    scene, one = PLANS[name].scenes[number - 1], lessons[name].shows[number - 1]
    told = one.sentences[-1]
    said = " ".join(texts(scene)).replace("−", "-")
    for variable, value in gradient.items():
        assert f"/∂{variable} = {value:.4f}".rstrip("0").rstrip(".") in told.replace("−", "-")
        assert f"{value:.4f}".rstrip("0").rstrip(".") in said


@pytest.mark.parametrize(
    ("name", "number", "press", "answer"),
    [
        ("backprop", 1, 1, "0.5403"),
        ("backprop", 2, 2, "−1.8845"),
        ("backprop", 3, 1, "x receives"),
        ("backprop", 4, 3, "0.5403"),
        ("backprop", 5, 2, "0.4952"),
        ("backprop", 8, 5, "2×4"),
        ("tape-or-graph", 2, 22, "x is complete"),
        ("tape-or-graph", 9, 5, "4 + 4 + 4 = 12"),
    ],
)
def test_the_lecturer_stops_before_the_answer(lessons, saved_page, name, number, press, answer):
    one = lessons[name].shows[number - 1]
    assert one.press(PLANS[name].scenes[number - 1].until) == press
    told = one.sentences[: press - one.begin + 1]
    assert answer not in " ".join(told)
    assert answer in " ".join(one.sentences[len(told) :])
    assert f"stop after press {press}." in re.findall(r'class="presses">([^<]*)', saved_page(name))[number - 1]


def test_stops_are_found_by_words_of_one_sentence(lessons):
    one = lessons["backprop"].shows[0]
    for words in ("receives 2", ""):
        with pytest.raises(ValueError, match="values to unpack"):
            one.press(words)


@NAMES
def test_notes_count_no_presses_of_their_own(name):
    for part in (PLANS[name].opening, *PLANS[name].scenes, PLANS[name].closing):
        assert not re.search(r"\b(?:press|presses|stop after)\b(?! \*Present)", part.notes), part.notes


def test_a_closing_sentence_does_not_answer_what_is_asked_below_it(lessons):
    scene, one = PLANS["backprop"].scenes[0], lessons["backprop"].shows[0]
    numbers = re.findall(r"0\.0\d+", scene.questions[1].answer)
    assert numbers
    assert [number for number in numbers if number in one.sentences[-1]] == []


def test_the_multiplications_asked_for_are_those_of_the_show(lessons):
    scene, one = PLANS["backprop"].scenes[3], lessons["backprop"].shows[3]
    told = "5 multiplications, 3 of them by 1"
    assert told in one.sentences[-1]
    assert told in scene.questions[2].asks.replace(", one for each edge", "")
    factors = re.findall(r"1·([\d.]+) = ", " ".join(one.sentences[:-1]))
    assert factors == ["1", "1", "2", "1", "0.5403"]
    assert all(f" = {factor}" in scene.questions[2].answer for factor in factors if factor != "1")


@pytest.mark.parametrize(
    ("source", "arguments", "gradient"),
    [
        ("def f(x, y):\n    return (x + y) * y", (2.0, 3.0), (3.0, 8.0)),
        ("def f(x):\n    return np.exp(x) / x", (2.0,), (1.8473,)),
        ("def f(x, y):\n    return (x + y) * x", (2.0, 3.0), (7.0, 2.0)),
        ("def f(x, y):\n    return x**2 + x * 2 + x * y + y", (1.0, 4.0), (8.0, 2.0)),
        ("def f(x, y):\n    return x * np.exp(y) + y", (2.0, 0.5), (1.6487, 4.2974)),
    ],
)
def test_the_solutions_are_those_of_adviz(source, arguments, gradient):
    found = ad.grad(written(source), argnums=tuple(range(len(arguments))))(*arguments)
    assert np.ravel(found) == pytest.approx(gradient, abs=1e-4)


def test_what_the_third_lesson_says_of_costs_is_measured(lessons):
    forgotten = ad.compare(written(PLANS["tape-or-graph"].scenes[3].show().scene["source"]["files"][0]["text"]), 0.5)
    assert "5 visits and 4 multiplications" in PLANS["tape-or-graph"].scenes[3].text.replace("\n", " ")
    assert "3 visits and 1 multiplication" in PLANS["tape-or-graph"].scenes[3].text.replace("\n", " ")
    rows = {line.split()[0]: line.split() for line in str(forgotten).splitlines()[2:] if "flags" not in line}
    columns = str(forgotten).splitlines()[1].split()
    visits, products = columns.index("visits"), columns.index("multiplications")
    assert [rows["tape"][visits], rows["tape"][products]] == ["5", "4"]
    assert [rows["toposort"][visits], rows["toposort"][products]] == ["3", "1"]
    assert any("with respect to it is NaN" in told for told in lessons["tape-or-graph"].shows[5].sentences)


def test_paper_does_not_answer_what_a_scene_asks(lessons):
    moments = [one.moment for one in lessons["backprop"].shows]
    assert moments[-1] == 0
    assert all(moments[:-1])


def test_values_are_named_as_in_the_program(lessons):
    assert "u is used twice" in " ".join(lessons["backprop"].shows[4].sentences)


@NAMES
def test_the_page_is_one_file_without_network_and_not_too_large(name, saved_page):
    text = saved_page(name)
    assert len(text.encode()) <= 900_000
    assert len(re.findall(r'data-show="show-\d"', text)) == 9
    bundles = re.findall(r'id="(graphs|sweeps|eliminations)"', text)
    assert sorted(bundles) == sorted(set(bundles)) == sorted(set(re.findall(r'data-bundle="(\w+)"', text)))
    assert not re.search(r"""(?:src|href)=["'](?!#)|url\(|@import""", text)
    assert set(re.findall(r"https?://[^\"' <]*", text)) <= {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in text
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', text)) <= set(ids)


@NAMES
def test_solutions_are_on_the_page_of_the_lecturer_alone(name, saved_page):
    whole, students = saved_page(name), saved_page(name, solutions=False)
    assert 'class="answer"' in whole.split('class="page lecturer"')[1]
    assert 'class="answer"' not in whole.split('class="page lecturer"')[0]
    assert 'class="answer"' not in students
    assert 'id="for-lecturer"' not in students


@pytest.mark.long
@NAMES
def test_the_handout_has_several_pages_of_text_and_none_but_the_last_is_half_empty(
    name, lessons, tmp_path, monkeypatch
):
    left = []
    beginning = Paper.room

    def room(paper, height):
        page, end = paper.document.page_no(), paper.y
        top = beginning(paper, height)
        if page and paper.document.page_no() > page:
            left.append((A4[1] - EDGE - end) / (A4[1] - 2 * EDGE))
        return top

    monkeypatch.setattr(Paper, "room", room)
    written_down = lessons[name].save(tmp_path / "handout.pdf").read_bytes()
    assert 7 <= len(left) <= 9
    assert max(left) < 0.2
    pages = [stream for stream in streams(written_down) if b" Tj" in stream]
    assert written_down.startswith(b"%PDF")
    assert 5 <= len(pages) <= 16
    assert len(re.findall(rb"/MediaBox \[0 0 595\.\d+ 841\.\d+\]", written_down)) >= 1


def hostile_plan() -> Plan:
    """A plan whose every text is markup."""
    question = Question(HOSTILE, HOSTILE)
    part = Part(HOSTILE, 1, HOSTILE, HOSTILE)
    scene = Scene(HOSTILE, 1, HOSTILE, HOSTILE, PLANS["backprop"].scenes[0].show, (question,))
    wrong = WrongProgram(1, HOSTILE, HOSTILE, HOSTILE, HOSTILE)
    exercises = type(PLANS["backprop"].exercises)(1, HOSTILE, (question,))
    return Plan(HOSTILE, HOSTILE, (HOSTILE,), (HOSTILE,), part, (scene,), wrong, exercises, part)


def test_texts_are_never_markup(tmp_path):
    lesson = ad.Lesson("hostile", hostile_plan())
    text = lesson.save(tmp_path / "lesson.html").read_text(encoding="utf-8")
    assert "<img" not in text
    assert "<b>`" not in text
    assert text.count("</script>") == 3
    assert lesson.save(tmp_path / "handout.pdf").stat().st_size > 1_000


@pytest.mark.long
def test_the_command_writes_page_and_handout(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["lesson", "backprop", "--out", "lesson.html", "--handout", "handout.pdf"]) == 0
    assert re.fullmatch(r"lesson\.html: [\d,]+ bytes\nhandout\.pdf: [\d,]+ bytes\n", capsys.readouterr().out)
    assert (tmp_path / "handout.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["backdrop"], "no lesson 'backdrop'; there are backprop"),
        (["backprop", "--out", "lesson.gif"], "cannot save as '.gif'"),
        (["backprop", "--out", "no/such/folder/lesson.html"], "there is no folder"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(arguments, words, capsys):
    assert main(["lesson", *arguments]) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.err.count("\n") == 1
