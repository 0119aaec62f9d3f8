// The clock of the Player: whether it runs, how fast, and how much of a beat motion may take.

/** Milliseconds of a step at the speed 1, and how much of them motion may take at most. */
const BEAT = 1000;
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

  /** `beat` is called with the number of steps that there is time for. */
  constructor(readonly beat: (steps: number) => void) {}

  get #interval(): number {
    return BEAT / this.speed;
  }

  /** Milliseconds that motion may take; null where it would be too short to be seen. */
  get pace(): number | null {
    const pace = Math.min(MOVING * this.#interval, LONGEST);
    return pace >= SHORTEST ? pace : null;
  }

  /** Wait for the next beat, if the clock runs. */
  wind(): void {
    this.stop();
    const wait = Math.max(FRAME, this.#interval);
    if (!this.playing) return;
    this.#timer = setTimeout(() => {
      this.beat(Math.floor(wait / this.#interval));
      this.wind();
    }, wait);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
