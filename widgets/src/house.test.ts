// The rules of the house that a reader cannot see in one file: who may import whom, and how large anything may be.

import { expect, test } from "vitest";

/** Rooms from low to high: a file imports its own folder and those before it. `testing` is for tests only. */
const FOLDERS = "styles ui scene host graph playback motion picture panels ops layout flow bench beside algebra elimination player comparison statements explorer hosts graphs sweeps eliminations pictures testing".split(" ");
const MOST_LINES = 500;
const MOST_IN_A_ROOM = 15;

const files: Record<string, string> = {
  ...import.meta.glob<string>("./**/*.ts", { eager: true, import: "default", query: "?raw" }),
  ...import.meta.glob<string>("./**/*.css", { eager: true, import: "default" }),
};
const names = Object.keys(files);
const modules = names.filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));

/** "./ui/dom.ts" is in the folder "ui", "./host.ts" one of its own. */
const folderOf = (name: string): string => name.split("/")[1]!.replace(/\.ts$/, "");

const stemOf = (name: string): string => name.split("/").at(-1)!.split(".")[0]!;

/** The files that one imports, or exports from. */
const importsOf = (name: string): string[] =>
  [...files[name]!.matchAll(/^(?:import|export)\b[^;"]*?"(\.[^"]+\.(?:js|css))";/gm)].map(([, path]) => {
    const { pathname } = new URL(path!, `file://${name.slice(1)}`);
    return `.${pathname.replace(/\.js$/, ".ts")}`;
  });

test("the imports are found", () => {
  expect(importsOf("./eliminations.ts")).toContain("./player/elimination-kit.ts");
  for (const name of modules) for (const imported of importsOf(name)) expect(names).toContain(imported);
});

test("a folder imports only folders below it", () => {
  const upward = modules.flatMap((name) =>
    importsOf(name)
      .filter((imported) => FOLDERS.indexOf(folderOf(imported)) > FOLDERS.indexOf(folderOf(name)))
      .map((imported) => `${name} imports ${imported}`),
  );
  expect(upward).toEqual([]);
  expect(FOLDERS).toEqual(expect.arrayContaining(names.filter((name) => !name.endsWith(".test.ts")).map(folderOf)));
});

test("no file imports itself by way of others", () => {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (name: string, way: readonly string[]): void => {
    if (way.includes(name)) cycles.push([...way.slice(way.indexOf(name)), name].join(" → "));
    if (done.has(name)) return;
    done.add(name);
    for (const imported of importsOf(name)) visit(imported, [...way, name]);
  };
  for (const name of modules) visit(name, []);
  expect(cycles).toEqual([]);
});

test("every module has a name of its own, and every folder a size that one can see", () => {
  const stems = modules.map(stemOf);
  expect(stems.filter((stem, i) => stems.indexOf(stem) !== i)).toEqual([]);
  for (const folder of FOLDERS) {
    const inside = names.filter((name) => !name.endsWith(".test.ts") && folderOf(name) === folder);
    expect(inside.length, folder).toBeLessThanOrEqual(MOST_IN_A_ROOM);
  }
});

test("no file is longer than can be read at once", () => {
  const long = names.filter((name) => files[name]!.trimEnd().split("\n").length > MOST_LINES);
  expect(long).toEqual([]);
});
