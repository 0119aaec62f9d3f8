// What test_looks.py measures of an Explorer: `({...}).name(root)` tells it.
{
  /** Texts whose contrast against what is behind them is below 4.5, the least that WCAG 2 asks for. */
  faint(root) {
    const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const over = (...colors) => {
      context.clearRect(0, 0, 1, 1);
      for (const color of colors) {
        context.fillStyle = color;
        context.fillRect(0, 0, 1, 1);
      }
      return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const luminance = (color) => {
      const [red, green, blue] = color.map((value) => {
        const part = value / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    /** The fills of the boxes that a sweep draws before a text, around its middle. */
    const drawnBelow = (text) => {
      const { left, right, top, bottom } = text.getBoundingClientRect();
      const [x, y] = [(left + right) / 2, (top + bottom) / 2];
      const before = (box) => box.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING;
      return [...text.closest(".adviz-flow").querySelectorAll("rect")]
        .filter((box) => before(box) && getComputedStyle(box).fill !== "none" && box.checkVisibility())
        .filter((box) => {
          const place = box.getBoundingClientRect();
          return place.left <= x && x <= place.right && place.top <= y && y <= place.bottom;
        })
        .map((box) => getComputedStyle(box).fill);
    };
    const behind = (element) => {
      const grounds = [];
      for (let at = element; at; at = at.parentElement) grounds.unshift(getComputedStyle(at).backgroundColor);
      if (element.closest(".adviz-flow")) return [...grounds, ...drawnBelow(element)];
      // A number on a ground of its own stands right after it.
      const onOwn = ".adviz-badge-number, .adviz-pill-number, .adviz-token-number, .adviz-change-sign, .adviz-times";
      const own = element.matches(onOwn) && element.previousElementSibling;
      const shape = own || element.closest(".adviz-node")?.querySelector(".adviz-shape");
      return shape ? [...grounds, getComputedStyle(shape).fill] : grounds;
    };
    const contrast = (element) => {
      const style = getComputedStyle(element);
      const grounds = behind(element);
      const ink = element instanceof SVGElement ? style.fill : style.color;
      const [low, high] = [over(...grounds), over(...grounds, ink)].map(luminance).sort((a, b) => a - b);
      return (high + 0.05) / (low + 0.05);
    };
    const texts = [...root.querySelectorAll("*")].filter((element) =>
      [...element.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim())
      && !element.matches("style, :disabled, option, .adviz-unseen, .adviz-hint")
      && parseFloat(getComputedStyle(element).fontSize) > 0
      && element.checkVisibility({ visibilityProperty: true }));
    if (texts.length < 20) return ["there are hardly any texts"];
    return texts.filter((element) => contrast(element) < 4.5)
      .map((element) => `${contrast(element).toFixed(2)} ${element.getAttribute("class")} ${element.textContent}`);
  },

  /** Elements that reach out of a box that neither scrolls nor ends in an ellipsis. */
  cut(root) {
    const clips = (element) => getComputedStyle(element).overflowX !== "visible";
    const scrolls = (overflow) => overflow === "auto" || overflow === "scroll";
    const cutBy = (element) => {
      let box = element.parentElement;
      while (!clips(box)) box = box.parentElement;
      const { overflowX, overflowY, textOverflow } = getComputedStyle(box);
      if (scrolls(overflowX) || textOverflow === "ellipsis") return null;
      const [inner, outer] = [element, box].map((one) => one.getBoundingClientRect());
      const inside = inner.left >= outer.left - 1 && inner.right <= outer.right + 1
        && (scrolls(overflowY) || (inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1));
      return inside ? null : box;
    };
    return [...root.querySelectorAll(":is(.adviz-frame, .adviz-show) *")]
      .filter((element) => element instanceof HTMLElement && element.checkVisibility())
      .filter((element) => !element.closest(".adviz-unseen, .adviz-hint") && cutBy(element))
      .map((element) => `${element.className} ${element.textContent.slice(0, 40)}, by ${cutBy(element).className}`);
  },

  /** Texts that end in an ellipsis, and rows and formulas that one must scroll sideways. */
  shortened(root) {
    const ellipsis = (element) => getComputedStyle(element).textOverflow === "ellipsis" && element.checkVisibility();
    return [...root.querySelectorAll(".adviz-show *")]
      .filter((element) => element.matches(".adviz-rows, .adviz-arithmetic, .adviz-meters") || ellipsis(element))
      .filter((element) => element.scrollWidth > element.clientWidth + 1)
      .map((element) => `${element.className} ${element.textContent.slice(0, 60)}`);
  },

  /** Items of a picture that are not wholly in it; `selector` says which items are meant. */
  outside(root, selector) {
    return [...root.querySelectorAll(".adviz-stagegraph")].flatMap((picture) => {
      const box = picture.querySelector(".adviz-picture").getBoundingClientRect();
      return [...picture.querySelectorAll(selector)]
        .filter((item) => {
          const { left, right, top, bottom } = item.querySelector(".adviz-shape").getBoundingClientRect();
          return left < box.left - 1 || right > box.right + 1 || top < box.top - 1 || bottom > box.bottom + 1;
        })
        .map((item) => `${picture.dataset.run} ${item.getAttribute("aria-label")}`);
    });
  },

  /** The height of letters on the screen: the smallest of what matches. */
  letters(root, selector) {
    const sizes = [...root.querySelectorAll(selector)].filter((element) => element.checkVisibility())
      .map((element) => parseFloat(getComputedStyle(element).fontSize)
        * (element instanceof SVGElement ? element.getScreenCTM().a : element.currentCSSZoom));
    return Math.min(...sizes);
  },

  /** Neighbors that lie on each other. */
  overlapping(root) {
    const groups = [".adviz-header > *", ".adviz-status, .adviz-controls", ".adviz-side > *", ".adviz-trail li",
      ...[...root.querySelectorAll(".adviz-stagegraph")].map((_, i) =>
        `:nth-child(${i + 1} of .adviz-panel) .adviz-signs, :nth-child(${i + 1} of .adviz-panel) .adviz-controls`)];
    const found = [];
    for (const group of groups) {
      const shown = [...root.querySelectorAll(group)].filter((element) => element.checkVisibility());
      const boxes = shown.map((element) => element.getBoundingClientRect());
      shown.forEach((element, i) => boxes.slice(0, i).forEach((other, j) => {
        const box = boxes[i];
        const apart = box.left >= other.right - 1 || other.left >= box.right - 1
          || box.top >= other.bottom - 1 || other.top >= box.bottom - 1;
        if (!apart) found.push(`${element.className} on ${shown[j].className}`);
      }));
    }
    return found;
  },

  /** Open a folded scope, and see whether anything is animated and whether the camera glides. */
  async moves(root) {
    const frame = () => new Promise(requestAnimationFrame);
    const opener = root.querySelector(".adviz-world [data-open]");
    opener.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    while (!root.querySelector(".adviz-stepper")) await frame();
    const animated = document.getAnimations().some(({ effect }) => root.contains(effect.target));
    const cameras = new Set();
    for (let k = 0; k < 5; k++) {
      cameras.add(root.querySelector(".adviz-world").getAttribute("transform"));
      await frame();
    }
    return { animated, glides: cameras.size > 1 };
  },
}
