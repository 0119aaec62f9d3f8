// Where a line of source that is too long is broken: before an operator or behind a comma, outside of as many brackets as can be.
// Pure.

/** How much further than its line the rest of it stands, in characters. */
const HANGING = 4;
/** The least part of the room that a piece fills. */
const FILLED = 0.4;
const BETWEEN = /(?<= )(?=(?:\*\*|\/\/|[-+*/@%]|and|or|if|else|for) )|(?<=, )/g;
/** Operators as a line begins with one: those that hold together least come first, and a comma before all others. */
const LOOSEST_FIRST = [/^(?![-+*/@%])/, /^[-+] /, /^(?!\*\*)/, /^/];

const indentation = (text: string): number => text.length - text.trimStart().length;

/** The columns at which a line is broken that has room for so many characters; none of a line whose letters are of several widths. */
export function breaksOf(text: string, room: number): number[] {
  const most = Math.max(room, indentation(text) + 2 * HANGING + 8);
  if (/[^\x20-\x7e]/.test(text)) return [];
  const depths = [...text].reduce((all, letter) => [...all, all.at(-1)! + (/[([{]/.test(letter) ? 1 : /[)\]}]/.test(letter) ? -1 : 0)], [0]);
  const places = [...text.matchAll(BETWEEN)].map(({ index }) => index);
  const tightness = (place: number): number => depths[place]! * LOOSEST_FIRST.length + LOOSEST_FIRST.findIndex((operators) => operators.test(text.slice(place)));
  const result: number[] = [];
  let [start, used] = [0, 0];
  while (text.length - start > most - used) {
    const near = places.filter((place) => place > start && place - start <= most - used + 1);
    const far = near.filter((place) => place - start >= FILLED * (most - used));
    const found = (far.length ? far : near).sort((one, other) => tightness(one) - tightness(other) || other - one)[0];
    if (found === undefined) break;
    result.push(found);
    [start, used] = [found, indentation(text) + HANGING];
  }
  return result;
}
