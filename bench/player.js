// What player.py does in a page: `({...}).name(...)`. A widget is given what a notebook gives it, its front end and its
// state, and no more; so is the peer's.
{
  /** Show a widget; milliseconds from its message to the frame in which `drawn` is there. */
  async show([source, message, columns, drawn]) {
    const frame = () => new Promise(requestAnimationFrame);
    await frame();
    const start = performance.now();
    const state = { ...JSON.parse(message) };
    if (columns) state.columns = new DataView(Uint8Array.from(atob(columns), (byte) => byte.charCodeAt(0)).buffer);
    const listeners = {};
    window.model = {
      get: (name) => state[name],
      set: (name, value) => {
        state[name] = value;
        for (const listener of listeners[`change:${name}`] ?? []) listener();
      },
      on: (event, listener) => (listeners[event] ??= []).push(listener),
      off: (event, listener) => (listeners[event] = listeners[event]?.filter((other) => other !== listener)),
      save_changes: () => undefined,
      send: () => undefined,
    };
    const bundle = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
    const el = document.body.appendChild(document.createElement("div"));
    await bundle.default.initialize?.({ model });
    await bundle.default.render({ model, el });
    while (!el.querySelector(drawn)) await frame();
    await frame();
    return performance.now() - start;
  },

  /** Note every frame from now on. */
  watch() {
    window.noted = [];
    const note = (time) => {
      window.noted.push(time);
      requestAnimationFrame(note);
    };
    requestAnimationFrame(note);
  },

  /** Give a widget one state of a trait after the other, as a kernel does. */
  feed([name, states, beat]) {
    states.forEach((state, k) => setTimeout(() => model.set(name, state), (k + 1) * beat));
  },

  /** Milliseconds that each of some cursors takes to be on stage and laid out. */
  seek(cursors) {
    return cursors.map((cursor) => {
      const start = performance.now();
      model.set("cursor", cursor);
      document.body.getBoundingClientRect();
      return performance.now() - start;
    });
  },
}
