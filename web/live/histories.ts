/** Keeps the figures of the last ten minutes, a value a second: for the spark of a tile and the figures in solo. */

const CAPACITY = 600;

const FIGURES = ['fps', 'kbps', 'outKbps', 'speed', 'dropped'] as const;
export type Figure = (typeof FIGURES)[number];

export interface MeasuredFigures {
  /** Milliseconds since 1970. */
  at: number;
  figures: Record<Figure, number>;
}

export class FigureHistory {
  private readonly at = new Float64Array(CAPACITY);
  private readonly values = Object.fromEntries(FIGURES.map((name) => [name, new Float32Array(CAPACITY)])) as Record<
    Figure,
    Float32Array
  >;
  private count = 0;

  add(at: number, figures: Record<Figure, number>): void {
    const place = this.count % CAPACITY;
    this.at[place] = at;
    for (const name of FIGURES) this.values[name][place] = figures[name];
    this.count += 1;
  }

  /** Puts figures before those that are kept; what is kept already is not there twice. */
  addEarlier(earlier: readonly MeasuredFigures[]): void {
    const [at, values] = [this.instants(CAPACITY), FIGURES.map((name) => this.last(name, CAPACITY))];
    const kept = at.map((instant, index): MeasuredFigures => {
      const figures = FIGURES.map((name, place) => [name, values[place]![index]!] as const);
      return { at: instant, figures: Object.fromEntries(figures) as Record<Figure, number> };
    });
    const before = earlier.filter((one) => one.at < (at[0] ?? Infinity));
    this.count = 0;
    for (const one of [...before, ...kept].slice(-CAPACITY)) this.add(one.at, one.figures);
  }

  /** The last `size` values, the newest last. */
  last(name: Figure, size: number): number[] {
    return this.places(size).map((place) => this.values[name][place]!);
  }

  /** The instants of `last`, in milliseconds since 1970. */
  instants(size: number): number[] {
    return this.places(size).map((place) => this.at[place]!);
  }

  private places(size: number): number[] {
    const length = Math.min(size, this.count, CAPACITY);
    return Array.from({ length }, (_, index) => (this.count - length + index) % CAPACITY);
  }
}
