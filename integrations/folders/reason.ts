/** Sentences about a failure of a folder: the fault, its place, and a quote of the other side. */
import type { Reason, Step } from './folder.ts';

/** A quote is one line of an answer, and not a page of it. */
const MAX_QUOTED = 200;

export function unknownReason(error: unknown, step: Step, place: string): Reason {
  const failed = step === 'open' ? 'the folder could not be opened' : `a file could not be ${PAST[step]}`;
  return { reason: `${failed} on ${place}`, upstream: error instanceof Error ? error.message : String(error) };
}

const PAST: Record<Exclude<Step, 'open'>, string> = { write: 'written', 'read back': 'read back', delete: 'deleted' };

/** The reason as one sentence. */
export function sentenceOf({ reason }: Reason): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}

/** One line of the other side's text without secrets: servers repeat what they were sent. */
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
