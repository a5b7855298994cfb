/** The zone that a server reckons in, asked of the server itself: what this process is set to may be another. */
import { setTimeout as sleep } from 'node:timers/promises';

/** A greeting waits for it. A server of this machine answers in a few milliseconds, one behind a line in one or two hundred. */
const BOUND_MS = 250;
/** Loading what greets keeps the event loop busy, so an answer may lie unread when the bound has passed. */
const UNREAD_MS = 50;
/** The document has a hundred bytes; what answers may be any program. */
const MOST_BYTES = 4096;
/** It stands in what an assistant is instructed with, and so is a name and nothing else. */
const ZONE = /^[a-z][\w+/-]{0,63}$/iu;

/** undefined where no server of ours answers in time. Rejects where nobody listens. */
export async function serverZone(url: string): Promise<string | undefined> {
  const giveUp = new AbortController();
  const bound = sleep(BOUND_MS)
    .then(() => sleep(UNREAD_MS))
    .then(() => undefined);
  try {
    return zoneIn(await Promise.race([read(new URL(`${url}/readyz`), giveUp.signal), bound]));
  } finally {
    giveUp.abort();
  }
}

/** By Node's own client: loading that of fetch takes longer than the answer. */
async function read(url: URL, signal: AbortSignal): Promise<string> {
  const { get } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  return new Promise((resolve, reject) => {
    const asked = get(url, { agent: false, signal }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > MOST_BYTES) asked.destroy(new Error('This is another document.'));
      });
      response.once('end', () => resolve(text)).once('error', reject);
    });
    asked.once('error', reject);
  });
}

function zoneIn(text = ''): string | undefined {
  const { store, timezone } = JSON.parse(text || '{}') as { store?: unknown; timezone?: unknown };
  return store !== undefined && typeof timezone === 'string' && ZONE.test(timezone) ? timezone : undefined;
}
