/** Keeps the stream of pictures open for what is wanted at the moment. It runs in the shared worker, or in the page where there is none. */
import { bearer } from '../browser-ports.ts';
import { takePictures, type LivePicture } from './frames.ts';

/** Scrolling changes what is shown many times a second. */
const SETTLE_MS = 250;
/** A server that cannot be reached, and one that has just closed. */
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 10_000;
/** Without any bytes for so long, while pictures are wanted, the connection is dead. */
const SILENCE_MS = 15_000;

export interface PictureLink {
  /** The parameter `want`; empty ends the stream. */
  want(text: string): void;
  close(): void;
}

/** `token` is that of a display. */
export function openPictures(root: string, show: (picture: LivePicture) => void, token?: string): PictureLink {
  let wanted = '';
  let running: { text: string; abort: AbortController } | undefined;
  let settle: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;

  const later = (ms: number): void => {
    clearTimeout(settle);
    settle = setTimeout(apply, ms);
  };
  const apply = (): void => {
    if (running?.text === wanted) return;
    const before = running;
    running = undefined;
    if (wanted === '') before?.abort.abort();
    else void run(wanted, () => before?.abort.abort());
  };
  /** The stream before goes on until this one has begun, so that no tile stands still between them. */
  const run = async (text: string, endBefore: () => void): Promise<void> => {
    const own = { text, abort: new AbortController() };
    running = own;
    const giveUp = (): void => {
      // Nothing wanted may be on air, which is no failure.
      failures = -1;
      own.abort.abort();
    };
    let silence = setTimeout(giveUp, SILENCE_MS);
    try {
      const response = await fetch(`${root}/feed/pictures?want=${text}`, {
        credentials: 'same-origin',
        headers: bearer(token),
        signal: own.abort.signal,
      });
      endBefore();
      if (!response.ok || response.body === null) throw new Error(`HTTP ${response.status}`);
      const reader = response.body.getReader();
      let rest: Uint8Array = new Uint8Array();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        clearTimeout(silence);
        silence = setTimeout(giveUp, SILENCE_MS);
        failures = 0;
        const taken = takePictures(rest, value);
        rest = taken.rest;
        taken.pictures.forEach(show);
      }
    } catch {
      // Aborted, or broken off: what is wanted then is asked for again.
      failures += 1;
    }
    clearTimeout(silence);
    endBefore();
    own.abort.abort();
    if (running !== own) return;
    running = undefined;
    if (wanted !== '') later(Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** Math.max(0, failures - 1)));
  };
  return {
    want(text) {
      if (text === wanted) return;
      wanted = text;
      failures = 0;
      later(SETTLE_MS);
    },
    close() {
      wanted = '';
      clearTimeout(settle);
      apply();
    },
  };
}
