import { expect, test, vi } from "vitest";
import { FormulaPanel, formula, mathOf } from "./formula-panel.js";
import type { Formula } from "../scene/scene.js";
import { HOSTILE } from "../testing/explorers.js";
import { contextOf, momentAt, part, showOf, step } from "../testing/panels-shown.js";

const bar: Formula = ["sub", ["bar", ["id", "v"]], ["num", "3"]];

test.each<[Formula, string]>([
  [["num", "-0.5"], "<mn>−0.5</mn>"],
  [["row", ["id", "x"], ["op", "="], ["num", "2"]], "<mrow><mi>x</mi><mo>=</mo><mn>2</mn></mrow>"],
  [["frac", ["text", "a b"], ["id", "y"]], "<mfrac><mtext>a b</mtext><mi>y</mi></mfrac>"],
  [bar, '<msub><mover accent="true"><mi>v</mi><mo stretchy="false">¯</mo></mover><mn>3</mn></msub>'],
  [["id", "cos speed"], '<mrow><mi>cos</mi><mi> </mi><mi class="adviz-italic">speed</mi></mrow>'],
  [["bar", ["id", "x·rate"]], '<mrow class="adviz-over"><mrow><mi>x</mi><mi>·</mi><mi class="adviz-italic">rate</mi></mrow></mrow>'],
  [["dot", ["id", "v"]], '<mover accent="true"><mi>v</mi><mo stretchy="false">˙</mo></mover>'],
  [
    [
      "matrix",
      [
        [
          ["num", "1"],
          ["num", "0"],
        ],
      ],
    ],
    '<mtable class="adviz-bracketed"><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr></mtable>',
  ],
])("%j is typeset", (tree, markup) => {
  expect(mathOf(tree).outerHTML.toLowerCase()).toBe(markup);
});

test("a formula is displayed, in the namespace of mathematics", () => {
  const element = formula(bar);
  expect(element.getAttribute("display")).toBe("block");
  expect([element, ...element.querySelectorAll("*")].map(({ namespaceURI }) => namespaceURI)).toEqual(
    Array(6).fill("http://www.w3.org/1998/Math/MathML"),
  );
});

test("a formula may be broken between its equations, else before its signs but the first", () => {
  const equation: Formula[] = [["id", "x"], ["op", "+="], ["num", "2"], ["op", "="], ["num", "3"]];
  const linesOf = (...parts: Formula[]) => [...formula(["row", ...parts]).children].map(({ textContent }) => textContent);
  expect(linesOf(...equation)).toEqual(["x+=2", "=3"]);
  expect(linesOf(["row", ...equation], ["op", ","], ["row", ...equation])).toEqual(["x+=2=3,", "x+=2=3"]);
});

test("hostile text in a formula stays text", () => {
  const element = formula(["row", ["id", HOSTILE], ["text", HOSTILE]]);
  expect(element.textContent).toBe(HOSTILE + HOSTILE);
  expect(element.querySelector("img, script")).toBeNull();
});

test("the panel shows the formula of the step just taken, if it has one", () => {
  const next: Formula = ["num", "7"];
  const show = showOf([step({ edits: [], formula: bar }), step({ edits: [] }), step({ edits: [], formula: next })]);
  const panel = new FormulaPanel({ id: "f", kind: "formula" }, contextOf(show).context);
  const shown = [0, 1, 2, 3].map((cursor) => {
    panel.show(momentAt(show, cursor));
    return [panel.element.textContent, panel.element.querySelector("[data-past]") !== null];
  });
  expect(shown).toEqual([
    ["", false],
    ["v¯3", false],
    ["", false],
    ["7", false],
  ]);
});

test("runs that advance together have a labelled line each", () => {
  const both = step({ edits: [], parts: [part({ run: "a", formula: bar }), part({ run: "b" })] });
  const show = showOf(
    [both],
    [
      { id: "a", label: "tape", kind: "reverse" },
      { id: "b", label: "graph", kind: "reverse" },
    ],
  );
  const panel = new FormulaPanel({ id: "f", kind: "formula" }, contextOf(show).context);
  panel.show(momentAt(show, 1));
  expect([...panel.element.children].map(({ textContent }) => textContent)).toEqual(["tapev¯3"]);
});

test("a long formula may be broken before sums and signs of equality, but not before its first sign", () => {
  const [x, y] = [
    ["id", "x"],
    ["num", "2"],
  ] as const satisfies Formula[];
  const parts = [...formula(["row", x, ["op", "="], y, ["op", "+"], x, ["op", "="], y]).children];
  expect(parts.map(({ textContent }) => textContent)).toEqual(["x=2", "+x", "=2"]);
  const sides = [...formula(["row", x, ["op", "+="], ["row", y, ["op", "="], x, ["op", "="], y]]).children];
  expect(sides.map(({ textContent }) => textContent)).toEqual(["x+=2", "=x", "=2"]);
});

test("of several equations the last are left out where all are too many even in small letters", () => {
  const equations: Formula = ["row", ["id", "x"], ["op", ","], ["id", "y"], ["op", ","], ["id", "z"]];
  const show = showOf([step({ edits: [], formula: equations })]);
  const panel = new FormulaPanel({ id: "f", kind: "formula" }, contextOf(show).context);
  const seen = (): string[] => [...panel.element.querySelectorAll("math > :not([hidden])")].map((each) => [...each.querySelectorAll(":scope > :not([hidden])")].map(({ textContent }) => textContent).join(""));
  vi.spyOn(panel.element, "clientHeight", "get").mockReturnValue(40);
  vi.spyOn(panel.element, "scrollHeight", "get").mockImplementation(() => 20 * seen().length);
  panel.show(momentAt(show, 1));
  expect(seen()).toEqual(["x,", "y"]);
});
