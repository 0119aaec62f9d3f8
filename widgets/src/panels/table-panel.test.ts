import { expect, test } from "vitest";
import { TablePanel } from "./table-panel.js";
import { STEPS, contextOf, momentAt, showOf } from "../testing/panels-shown.js";

function open() {
  const show = showOf(STEPS);
  const { context } = contextOf(show);
  const panel = new TablePanel(
    {
      id: "table",
      kind: "table",
      run: "a",
      columns: [
        { what: "stored", label: "stored" },
        { what: "adjoint", label: "adjoint" },
      ],
      rows: [
        { node: 0, label: "v0" },
        { node: 2, label: "x·y", title: "v2 = v0 × v1" },
      ],
    },
    context,
  );
  const cells = (row: number) => [...panel.element.querySelector(`[data-row="${row}"]`)!.children] as HTMLElement[];
  return { panel, show, cells };
}

test("the table fills line by line, and the cell just written is lit", () => {
  const { panel, show, cells } = open();
  expect(cells(0).map(({ textContent }) => textContent)).toEqual(["v0", "", ""]);
  panel.show(momentAt(show, 4));
  expect(cells(0).map(({ textContent }) => textContent)).toEqual(["v0", "", "−3"]);
  expect(cells(1).map(({ textContent }) => textContent)).toEqual(["x·y", "16", "1"]);
  expect(panel.element.querySelectorAll("[data-lit]")).toHaveLength(1);
  expect(cells(0)[2]!.hasAttribute("data-lit")).toBe(true);
});

test("a row that has the name of the source tells its number and formula where one points at it", () => {
  const { cells } = open();
  expect([0, 1].map((row) => cells(row)[0]!.title)).toEqual(["v0", "v2 = v0 × v1"]);
});

test("the row written to is the current one, though another node has its turn", () => {
  const { panel, show } = open();
  panel.show(momentAt(show, 1));
  expect(panel.element.querySelector("[data-current]")?.getAttribute("data-row")).toBe("1");
  panel.show(momentAt(show, 4));
  expect(panel.element.querySelector("[data-current]")?.getAttribute("data-row")).toBe("0");
});

test("zero is written, what is absent is not", () => {
  const show = showOf([{ ...STEPS[0]!, edits: [["a/adjoint/0", null, 0]] }]);
  const { panel, cells } = open();
  panel.show(momentAt(show, 1));
  expect(cells(0)[2]!.textContent).toBe("0");
  expect(cells(1)[2]!.textContent).toBe("");
});
