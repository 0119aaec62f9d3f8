// The clock of the Player: whether it runs, how fast, and how much of a beat motion may take.

/** Milliseconds of a step at the speed 1 that says nothing else, and how much of them motion may take at most. */
export const BEAT = 1000;
const MOVING = 0.6;
/** No motion takes longer, and none that would be shorter is shown. */
const LONGEST = 700;
const SHORTEST = 90;
/** Milliseconds of a frame: a clock that beats faster takes several steps at once. */
const FRAME = 16;

export class Clock {
  playing = false;
  speed = 1;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    /** Called with the number of steps that there is time for. */
    readonly beat: (steps: number) => void,
    /** Milliseconds that what is shown now takes at the speed 1. */
    readonly shown: () => number = () => BEAT,
  ) {}

  /** Milliseconds that motion may take; null where it would be too short to be seen. */
  get pace(): number | null {
    const pace = Math.min((MOVING * BEAT) / this.speed, LONGEST);
    return pace >= SHORTEST ? pace : null;
  }

  /** Wait for the next beat, if the clock runs: as long as what is shown takes, or so many milliseconds. */
  wind(shown = this.shown()): void {
    this.stop();
    if (!this.playing) return;
    const interval = shown / this.speed;
    const wait = Math.max(FRAME, interval);
    this.#timer = setTimeout(() => {
      this.beat(Math.floor(wait / interval));
      this.wind();
    }, wait);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
