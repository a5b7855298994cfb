/** The line of a spark as an SVG path: from zero to the highest value, so that a fall to nothing is seen as one. */
export function sparkPath(
  values: readonly number[],
  { width, height, capacity }: { width: number; height: number; capacity: number },
): string {
  const shown = values.slice(-capacity);
  const highest = Math.max(...shown, 0);
  if (shown.length < 2) return '';
  const step = width / (capacity - 1);
  const point = (value: number, place: number): string => {
    const x = width - (shown.length - 1 - place) * step;
    const y = highest === 0 ? height - 1 : height - 1 - (value / highest) * (height - 2);
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  };
  return `M${shown.map(point).join('L')}`;
}
