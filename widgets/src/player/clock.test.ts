import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Clock } from "./clock.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function running(speed: number): { clock: Clock; beats: number[] } {
  const beats: number[] = [];
  const clock = new Clock((steps) => beats.push(steps));
  Object.assign(clock, { playing: true, speed });
  clock.wind();
  return { clock, beats };
}

test("a clock beats once a second, faster at a higher speed, until it is stopped", () => {
  const { clock, beats } = running(2);
  vi.advanceTimersByTime(1600);
  expect(beats).toEqual([1, 1, 1]);
  clock.stop();
  vi.advanceTimersByTime(5000);
  expect(beats).toHaveLength(3);
});

test("a clock that is not playing does not beat", () => {
  const { clock, beats } = running(1);
  clock.playing = false;
  clock.wind();
  vi.advanceTimersByTime(5000);
  expect(beats).toEqual([]);
});

test("past a step per frame it takes several at once", () => {
  const { beats } = running(200);
  vi.advanceTimersByTime(32);
  expect(beats).toEqual([3, 3]);
});

test.each([
  [1, 600],
  [0.5, 700],
  [5, 120],
  [10, null],
])("at the speed %d motion may take %s ms", (speed, pace) => {
  expect(running(speed).clock.pace).toBe(pace);
});

test("what takes longer is waited for, at the speed chosen", () => {
  let shown = 3000;
  const beats: number[] = [];
  const clock = new Clock((steps) => beats.push(steps), () => shown);
  [clock.playing, clock.speed] = [true, 2];
  clock.wind();
  vi.advanceTimersByTime(1499);
  expect(beats).toEqual([]);
  shown = 1000;
  vi.advanceTimersByTime(1 + 500);
  expect(beats).toEqual([1, 1]);
  clock.wind(100);
  vi.advanceTimersByTime(50);
  expect(beats.length).toBe(3);
  clock.stop();
});
