/** `latency_ms` is `Latency ms`, `channelId` is `Channel id`, where nobody has written a better name. */
export function readable(name: string): string {
  const words = name
    .replaceAll('_', ' ')
    .replaceAll(/([a-z])([A-Z])/gu, (_pair, before: string, after: string) => `${before} ${after.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
