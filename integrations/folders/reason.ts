/** A failure of a folder in words: what is wrong, where, and what the other side said of it. */
import type { Reason, Step } from './folder.ts';

/** One line of an answer, not a page of it. */
const MAX_QUOTED = 200;

export function unknownReason(error: unknown, step: Step, place: string): Reason {
  const failed = step === 'open' ? 'the folder could not be opened' : `a file could not be ${PAST[step]}`;
  return { reason: `${failed} on ${place}`, upstream: error instanceof Error ? error.message : String(error) };
}

const PAST: Record<Exclude<Step, 'open'>, string> = { write: 'written', 'read back': 'read back', delete: 'deleted' };

/** One sentence. */
export function sentenceOf({ reason }: Reason): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}

/** A line of what the other side said, without what must not come back: servers repeat what they were sent. */
export function quote(upstream: string, secrets: readonly (string | null)[]): string {
  let line = upstream;
  for (const secret of secrets) {
    if (secret === null) continue;
    for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]) {
      line = line.replaceAll(form, '****');
    }
  }
  const flat = line.replace(/[\s\u0000-\u001f\u007f-\u009f]+/gu, ' ').trim();
  return flat.length <= MAX_QUOTED ? flat : `${flat.slice(0, MAX_QUOTED - 1)}…`;
}
