// Links to nodes: every `data-link` names one. A click chooses it, pointing at it previews it.

import { dataOf, listen } from "./dom.js";

export function listenToLinks(root: HTMLElement, signal: AbortSignal, preview: (node: number | null) => void, choose: (node: number) => void): void {
  const linked = (event: Event): number | null => {
    const link = dataOf(event, "link");
    return link === undefined ? null : Number(link);
  };
  const point = (event: Event): void => {
    const node = linked(event);
    if (node !== null) preview(node);
  };
  const end = (event: Event): void => {
    if (linked(event) !== null) preview(null);
  };
  listen(root, signal, {
    click: (event) => {
      const node = linked(event);
      if (node !== null) choose(node);
    },
    pointerover: point,
    focusin: point,
    pointerout: end,
    focusout: end,
  });
}
