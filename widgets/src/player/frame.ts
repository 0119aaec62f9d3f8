// The frame of the Player: a header, the floor with the panels, and a foot with the caption and the controls.

import type { Show } from "../scene/scene.js";
import { styles } from "../styles/styles.js";
import { html } from "../ui/dom.js";

/** A caption of more characters takes more than two lines of a usual width. */
const TWO_LINES = 230;

interface Parts {
  readonly header: readonly (Element | null)[];
  readonly floor: readonly Element[];
  readonly foot: readonly Element[];
  /** What is read out and not seen. */
  readonly spoken: Element;
  /** Leads back to the view that the show replaces. */
  readonly back: Element | null;
}

export function frame({ title, runs, steps }: Show, { header, floor, foot, spoken, back }: Parts): HTMLElement {
  const lines = steps.some(({ caption }) => caption.length > TWO_LINES) ? `--lines:${2 + runs.length}` : "";
  const heading = html("h3.adviz-title", title);
  const labels = html("span.adviz-muted", runs.map(({ label }) => label).join(" vs. "));
  return html(
    "div.adviz.adviz-player",
    { "data-lm-suppress-shortcuts": "true", role: "region", "aria-label": title, tabindex: -1 },
    html("style", styles),
    html(
      "div",
      { class: "adviz-show", style: `--runs:${runs.length};${lines}`, "data-crowded": runs.length > 2 },
      html("div.adviz-header", back, heading, labels, ...header),
      ...floor,
      html("div.adviz-foot", ...foot),
    ),
    spoken,
  );
}
