/** A server that has gone silent is told apart from one whose answer takes minutes: that one still answers whether it is ready. */
import type { IncomingMessage } from 'node:http';

/** After so long a silence it is asked. */
const PATIENCE_MS = 5000;
/** It has so long to answer that. */
const READY_MS = 5000;
/** The server has gone all the same after so long a silence: it answers each call, or says how far it is, within this time. */
const MAX_SILENCE_MS = 300_000;

export class Silence extends Error {
  constructor(seconds: number) {
    super(`Nothing came for ${Math.round(seconds)} s.`);
  }
}

interface SilenceWatch {
  /** Something has come, or was taken. */
  heard(): void;
  end(): void;
}

/** Calls `giveUp` once the server at `url` is as good as gone. */
export function watchSilence(url: URL, giveUp: (error: Error) => void): SilenceWatch {
  let heardMs = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    const askedMs = heardMs;
    const isBusy = performance.now() - heardMs < MAX_SILENCE_MS && (await isThere(url));
    if (timer === undefined) return;
    if (isBusy || heardMs !== askedMs) timer = setTimeout(() => void look(), PATIENCE_MS);
    else giveUp(new Silence((performance.now() - heardMs) / 1000));
  };
  timer = setTimeout(() => void look(), PATIENCE_MS);
  return {
    heard() {
      heardMs = performance.now();
      timer?.refresh();
    },
    end() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

/** Whether the server answers at all; also that it is not ready is an answer. */
async function isThere({ origin, protocol }: URL): Promise<boolean> {
  const { request } = await (protocol === 'https:' ? import('node:https') : import('node:http'));
  const trust = protocol === 'https:' ? await (await import('../settings/trust.ts')).trustFor(origin) : undefined;
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(READY_MS);
    const call = request(`${origin}/readyz`, { ...trust, agent: false, signal }, (response) => {
      response.destroy();
      resolve(true);
    });
    call.once('error', () => resolve(false));
    call.end();
  });
}

/** The parts of a document, which follow each other: one that stops in the middle is over. */
export async function* documentParts(response: IncomingMessage): AsyncGenerator<Buffer> {
  response.setTimeout(PATIENCE_MS + READY_MS, () => response.destroy(new Error('The answer stopped in the middle.')));
  for await (const part of response) yield part as Buffer;
}

/** The parts of the answer to a call that takes minutes; pauses are between them. */
export async function* progressParts(response: IncomingMessage, url: URL): AsyncGenerator<Buffer> {
  const watch = watchSilence(url, (error) => response.destroy(error));
  try {
    for await (const part of response) {
      watch.heard();
      yield part as Buffer;
    }
  } finally {
    watch.end();
  }
}
