/** Server-sent events as bytes (HTML Living Standard §9.2). */

/** A browser that has lost the connection comes back after this time. */
const RETRY_MS = 1000;

export const PROLOGUE: Uint8Array = Buffer.from(`retry: ${RETRY_MS}\n\n`);
/** Proxies close a connection that is silent for long. */
export const COMMENT: Uint8Array = Buffer.from(':\n\n');

/** JSON has no line ends of its own, so one line holds all of it. */
export function frameOf(event: string, data: unknown, id?: string): Uint8Array {
  const head = id === undefined ? '' : `id: ${id}\n`;
  return Buffer.from(`${head}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
