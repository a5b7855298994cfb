/** A copy of the list in which one item stands at another place. */
export function moveItem<T>(items: readonly T[], from: number, to: number): T[] {
  const others = items.filter((_item, index) => index !== from);
  return [...others.slice(0, to), items[from]!, ...others.slice(to)];
}
