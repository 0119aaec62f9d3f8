// Where the picture is looked at from: screen = scale * world + (x, y). Pure functions.

export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A center and a size. */
export interface Box extends Point {
  readonly w: number;
  readonly h: number;
}

/** Around a picture that is fitted, which has a margin of its own, and around an item that is brought in. */
const MARGIN = 10;
const ITEM_MARGIN = 28;
const LARGEST = 4;
const SMALLEST = 0.04;
/** A picture opens no smaller than this, so that its labels can be read; `fit` shows all of it. */
export const READABLE = 0.7;
/** A picture that is fitted grows to this times what can be read. */
const GROWING = 1.25 / READABLE;

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

function fitScale(world: Size, screen: Size, readable = READABLE): number {
  const scale = Math.min((screen.width - 2 * MARGIN) / world.width, (screen.height - 2 * MARGIN) / world.height);
  return clamp(scale, SMALLEST, GROWING * readable);
}

function centered(world: Size, screen: Size, scale: number): Camera {
  return { scale, x: (screen.width - scale * world.width) / 2, y: (screen.height - scale * world.height) / 2 };
}

/** All of the world. */
export const fit = (world: Size, screen: Size): Camera => centered(world, screen, fitScale(world, screen));

/**
 * All of the world if its scale is then not smaller than `whole`; else its top in a size that can be read, as computation
 * starts there, where the first items are. It is smaller, down to `whole`, if nothing then lies beside the screen.
 */
export function opening(
  world: Size & { nodes: readonly Point[] },
  screen: Size,
  whole = READABLE,
  readable = READABLE,
): Camera {
  const scale = fitScale(world, screen, readable);
  if (scale >= whole) return centered(world, screen, scale);
  const narrowed = clamp((screen.width - 2 * MARGIN) / world.width, Math.min(whole, readable), readable);
  const { x, y } = centered(world, screen, narrowed);
  const first = world.nodes
    .filter((item) => item.y * narrowed < screen.height)
    .map((item) => item.x)
    .sort((one, other) => one - other);
  const middle = first[Math.floor(first.length / 2)] ?? world.width / 2;
  const left = clamp(screen.width / 2 - narrowed * middle, screen.width - narrowed * world.width - MARGIN, MARGIN);
  return { scale: narrowed, x: x >= 0 ? x : left, y: Math.max(y, MARGIN) };
}

/** The smallest box around others. */
export function around(boxes: readonly Box[]): Box {
  const side = (center: "x" | "y", extent: "w" | "h"): [number, number] => {
    const low = Math.min(...boxes.map((box) => box[center] - box[extent] / 2));
    const high = Math.max(...boxes.map((box) => box[center] + box[extent] / 2));
    return [(low + high) / 2, high - low];
  };
  const [[x, w], [y, h]] = [side("x", "w"), side("y", "h")];
  return { x, y, w, h };
}

/** Zoom by a factor; the world under `point` stays there. */
export function zoomAt({ x, y, scale }: Camera, factor: number, point: Point): Camera {
  const next = clamp(scale * factor, SMALLEST, LARGEST);
  const ratio = next / scale;
  return { scale: next, x: point.x - ratio * (point.x - x), y: point.y - ratio * (point.y - y) };
}

export const pan = (camera: Camera, dx: number, dy: number): Camera => ({
  ...camera,
  x: camera.x + dx,
  y: camera.y + dy,
});

/** The smallest pan that brings a box of the world onto the screen. */
export function bringIn(camera: Camera, box: Box, screen: Size): Camera {
  const shift = (center: number, extent: number, length: number): number => {
    const low = center - extent / 2 - ITEM_MARGIN;
    const high = center + extent / 2 + ITEM_MARGIN;
    return low < 0 ? -low : high > length ? Math.max(length - high, -low) : 0;
  };
  const { scale } = camera;
  return pan(
    camera,
    shift(scale * box.x + camera.x, scale * box.w, screen.width),
    shift(scale * box.y + camera.y, scale * box.h, screen.height),
  );
}

/** Whether the screen has room for a box of the world. */
export const hasRoom = ({ scale }: Camera, { w, h }: Box, { width, height }: Size): boolean => scale * w <= width && scale * h <= height;

/** The pan that brings a box of the world into the middle of the screen, as far as there is world to see around it. */
export function centerOn(camera: Camera, box: Box, world: Size, screen: Size): Camera {
  const { scale } = camera;
  const place = (center: number, whole: number, length: number): number => {
    const wanted = length / 2 - scale * center;
    return scale * whole <= length ? (length - scale * whole) / 2 : clamp(wanted, length - scale * whole, 0);
  };
  return { scale, x: place(box.x, world.width, screen.width), y: place(box.y, world.height, screen.height) };
}

/** Whether the center of an item is on the screen. */
export function isInView({ x, y, scale }: Camera, center: Point, { width, height }: Size): boolean {
  const [left, top] = [scale * center.x + x, scale * center.y + y];
  return left >= 0 && left <= width && top >= 0 && top <= height;
}

/** Whether all of an item is on the screen. */
export function isWholeInView(camera: Camera, item: Box, { width, height }: Size): boolean {
  const { x, y, w, h } = onScreen(camera, item);
  return x - w / 2 >= 0 && x + w / 2 <= width && y - h / 2 >= 0 && y + h / 2 <= height;
}

/** At which sides of the screen there is more of a world than is seen; its margin does not count. */
export function beyond({ x, y, scale }: Camera, world: Size, screen: Size): string[] {
  const isMore = {
    top: y < -MARGIN,
    bottom: y + scale * world.height > screen.height + MARGIN,
    left: x < -MARGIN,
    right: x + scale * world.width > screen.width + MARGIN,
  };
  return Object.keys(isMore).filter((side) => isMore[side as keyof typeof isMore]);
}

/** Where a box of the world is on the screen. */
export const onScreen = ({ x, y, scale }: Camera, box: Box): Box => ({
  x: scale * box.x + x,
  y: scale * box.y + y,
  w: scale * box.w,
  h: scale * box.h,
});

/** The camera under which a world fills a box on the screen, as a folded item opens from its place. */
export function filling(world: Size, box: Box): Camera {
  const scale = clamp(Math.min(box.w / world.width, box.h / world.height), SMALLEST, LARGEST);
  return { scale, x: box.x - (scale * world.width) / 2, y: box.y - (scale * world.height) / 2 };
}

/** The camera under which a box of the world fills the screen. */
export function filled({ x, y, w, h }: Box, { width, height }: Size): Camera {
  const scale = Math.min(width / w, height / h, LARGEST);
  return { scale, x: width / 2 - scale * x, y: height / 2 - scale * y };
}

/** Between two cameras, t from 0 to 1. */
export function between(from: Camera, to: Camera, t: number): Camera {
  const mix = (a: number, b: number): number => a + (b - a) * t;
  return { x: mix(from.x, to.x), y: mix(from.y, to.y), scale: mix(from.scale, to.scale) };
}

/** The text of an SVG transform. */
export const transform = ({ x, y, scale }: Camera): string => `translate(${x},${y}) scale(${scale})`;
