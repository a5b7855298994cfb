/** The text that a part of a URL stands for; the part itself where its percent signs encode nothing. */
export function percentDecoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // People write percent signs of their own, and mean them.
    return part;
  }
}
