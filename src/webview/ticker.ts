/** For people who asked for less motion the bars move once a second, as the time beside them does. */
const REDUCED_MS = 1000;

/** Paints again and again while something runs and the page can be seen, and not at all otherwise. */
export class Ticker {
  readonly #paint: () => number;
  readonly #reduced = window.matchMedia('(prefers-reduced-motion: reduce)');
  #running = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #frame = 0;

  /** `paint` answers after how many milliseconds it wants to paint again. */
  constructor(paint: () => number) {
    this.#paint = paint;
    document.addEventListener('visibilitychange', () => this.#restart());
  }

  set running(running: boolean) {
    if (this.#running === running) return;
    this.#running = running;
    this.#restart();
  }

  #restart(): void {
    clearTimeout(this.#timer);
    cancelAnimationFrame(this.#frame);
    if (this.#running && document.visibilityState === 'visible') this.#request();
  }

  #request(): void {
    this.#frame = requestAnimationFrame(() => {
      const again = this.#paint();
      this.#timer = setTimeout(() => this.#request(), this.#reduced.matches ? REDUCED_MS : again);
    });
  }
}
