/** The lowest of the last values of a sequence; each value costs the same, however long the window is. */
export class SlidingMinimum {
  private readonly window: number;
  /** Places and values that may still be the lowest, in ascending order. */
  private readonly places: number[] = [];
  private readonly values: number[] = [];
  private at = 0;

  constructor(window: number) {
    this.window = window;
  }

  /** Takes a value and returns the lowest of the window that it ends. */
  next(value: number): number {
    const { places, values } = this;
    while (values.length > 0 && values.at(-1)! >= value) {
      values.pop();
      places.pop();
    }
    values.push(value);
    places.push(this.at);
    if (places[0]! <= this.at - this.window) {
      places.shift();
      values.shift();
    }
    this.at += 1;
    return values[0]!;
  }
}
