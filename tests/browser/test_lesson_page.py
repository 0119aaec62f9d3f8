"""A lesson opened from the disk without a network: nine players that work, and a page for the lecturer."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import adviz as ad

from .players import at_level, caption, press


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    return ad.lesson("backprop").save(tmp_path_factory.mktemp("lesson") / "lesson.html")


@pytest.fixture
def lesson(saved: Path, new_page) -> Page:
    page = new_page(offline=True, reduced_motion="reduce")
    page.goto(saved.as_uri())
    expect(page.locator(".adviz-player")).to_have_count(9)
    return page


def test_every_player_steps_by_itself(lesson):
    players = lesson.locator(".adviz-player").all()
    beginnings = [player.inner_text() for player in players]
    for number, player in enumerate(players):
        press(player, "ArrowRight ArrowRight")
        assert player.inner_text() != beginnings[number]
        assert [each.inner_text() for each in players[number + 1 :]] == beginnings[number + 1 :]
    expect(lesson.locator("#damage")).to_be_hidden()
    assert [still for still in lesson.locator(".still").all() if still.is_visible()] == []


@pytest.mark.parametrize("name", ["backprop", "forward-or-reverse", "tape-or-graph"])
def test_the_lecturer_is_told_how_many_presses_a_scene_takes(name, new_page, tmp_path):
    lesson = ad.lesson(name)
    page = new_page(offline=True, reduced_motion="reduce")
    page.goto(lesson.save(tmp_path / "lesson.html").as_uri())
    expect(page.locator(".adviz-player")).to_have_count(9)
    notes = page.locator(".presses").all_text_contents()
    assert len(notes) == 9
    for player, note, scene in zip(page.locator(".adviz-player").all(), notes, lesson.plan.scenes, strict=True):
        count = player.locator(".adviz-step-count").inner_text
        forward = player.locator('[data-command="forward"]')
        if asked := re.fullmatch(r"The show asks (\d+) questions\.", note):
            found = 0
            while forward.get_attribute("aria-disabled") is None:
                skip = player.get_by_role("button", name="Show me")
                if skip.is_visible():
                    found += 1
                    skip.click()
                else:
                    press(player, "ArrowRight")
            assert found == int(asked[1])
            continue
        told = re.fullmatch(r"(?:At the level (\w+): )?(\d+) presses of →(?:; stop after press (\d+))?\.", note)
        assert told, note
        if told[1]:
            at_level(player, told[1].lower())
        stop = int(told[3] or 0)
        press(player, "ArrowRight", stop)
        assert scene.until in caption(player).inner_text()
        press(player, "ArrowRight", int(told[2]) - stop - 1)
        assert forward.get_attribute("aria-disabled") is None, count()
        press(player, "ArrowRight")
        assert forward.get_attribute("aria-disabled") == "true", count()


def test_who_leaves_the_presentation_is_where_he_was_on_the_page(lesson):
    lesson.set_viewport_size({"width": 1400, "height": 900})
    button = lesson.locator('[data-command="present"]').nth(3)
    button.evaluate("button => scrollBy({top: button.getBoundingClientRect().bottom - 300, behavior: 'instant'})")
    before = lesson.evaluate("scrollY")
    button.click()
    player = lesson.locator(".adviz-player").nth(3)
    expect(player).to_have_class(re.compile("adviz-presenting"))
    lesson.wait_for_timeout(300)
    lesson.keyboard.press("Escape")
    expect(player).not_to_have_class(re.compile("adviz-presenting"))
    lesson.wait_for_timeout(300)
    assert abs(lesson.evaluate("scrollY") - before) < 2


def test_the_styles_of_the_page_end_at_its_players(lesson):
    lesson.set_viewport_size({"width": 1400, "height": 900})
    player = lesson.locator(".adviz-player").first
    text = ":is(p, ul, ol, li, h3, h4, pre, code, table, th, td, figure)"
    looks = """player => [...player.querySelectorAll("TEXT")].map((each) => {
      const {maxWidth, margin, padding, font, border} = getComputedStyle(each);
      return [each.className, maxWidth, margin, padding, font, border].join();
    })""".replace("TEXT", text)
    inside = player.evaluate(looks)
    assert len(inside) > 10
    # The same without any style of the page but what a player may inherit.
    lesson.evaluate("document.head.querySelector('style').textContent = 'body { margin: 0 }'")
    assert player.evaluate(looks) == inside


def test_captions_fill_a_presentation(lesson):
    lesson.set_viewport_size({"width": 1400, "height": 900})
    player = lesson.locator(".adviz-player").first
    press(player, "p")
    expect(player).to_have_class(re.compile("adviz-presenting"))
    assert caption(player).evaluate("caption => caption.getBoundingClientRect().width") > 1350
    assert player.locator(".adviz-stops").evaluate("stops => getComputedStyle(stops).maxWidth") == "none"


def test_the_keys_are_told_where_they_are_asked_for(lesson):
    lesson.set_viewport_size({"width": 1400, "height": 900})
    button = lesson.locator('[data-command="keys"]').nth(3)
    for bottom in (880, 420):
        button.evaluate(f"button => scrollBy({{top: button.getBoundingClientRect().bottom - {bottom}}})")
        button.click()
        keys = lesson.locator(".adviz-player").nth(3).locator(".adviz-legend")
        expect(keys).to_be_in_viewport(ratio=0.99)
        bar = lesson.locator(".bar").bounding_box()
        place = keys.bounding_box()
        assert bar
        assert place
        assert place["y"] >= bar["y"] + bar["height"]
        expect(button).to_be_in_viewport()
        lesson.keyboard.press("Escape")
        expect(keys).to_be_hidden()


@pytest.mark.parametrize("name", ["forward-or-reverse", "tape-or-graph"])
def test_the_other_lessons_play(name, new_page, tmp_path):
    page = new_page(offline=True, reduced_motion="reduce")
    page.goto(ad.lesson(name).save(tmp_path / "lesson.html").as_uri())
    expect(page.locator(".adviz-player")).to_have_count(9)
    for player in page.locator(".adviz-player").all():
        before = player.inner_text()
        press(player, "ArrowRight ArrowRight")
        assert player.inner_text() != before


def test_the_lecturer_has_a_page_of_his_own(lesson, saved):
    answer = "It is ∂f/∂f"
    expect(lesson.get_by_text(answer)).to_be_hidden()
    lesson.get_by_text("Lecturer’s page").click()
    expect(lesson.get_by_text(answer)).to_be_visible()
    assert [player for player in lesson.locator(".adviz-player").all() if player.is_visible()] == []
    lesson.goto(saved.as_uri() + "#lecturer")
    lesson.reload()
    expect(lesson.get_by_text(answer)).to_be_visible()


def test_paper_has_still_pictures_instead_of_players(lesson):
    lesson.emulate_media(media="print")
    assert all(still.is_visible() for still in lesson.locator(".still").all())
    assert not any(player.is_visible() for player in lesson.locator(".adviz-player").all())


def test_without_scripts_there_are_still_pictures(saved, new_page):
    page = new_page(offline=True, java_script_enabled=False)
    page.goto(saved.as_uri())
    assert page.locator(".still svg").count() == 9
    assert all(still.is_visible() for still in page.locator(".still").all())


def test_a_narrow_screen_is_not_wider_than_itself(saved, new_page):
    page = new_page(offline=True, viewport={"width": 420, "height": 800})
    page.goto(saved.as_uri())
    expect(page.locator(".adviz-player")).to_have_count(9)
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
