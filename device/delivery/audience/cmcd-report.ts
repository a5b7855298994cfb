/**
 * Reports that players send by themselves (CMCD in event mode, CTA-5004-A): the content of a POST, a line an event, each in the form that CMCD has in
 * a query. They say how well it plays; nobody becomes or stays a viewer by them, since they are no requests for media.
 */
import type { Clock } from '../../../domain/time/clock.ts';

/** The lines of it, or the status by which it is refused. A player sends again after 429, and drops the report after 413. */
export type Report = { lines: string[] } | { refused: 413 | 429 };

/** Some sixty events. Players gather a few. */
export const MAX_REPORT_BYTES = 16 << 10;
/** A player reports each segment or part at most, and a proxy's connection may speak for some players. */
const MAX_A_SECOND = 100;

const TARGET = /^\/live\/[1-9][0-9]{0,14}\/[1-9][0-9]{0,14}\/cmcd(?:\?|$)/u;

export function isReportTarget(target: string): boolean {
  return TARGET.test(target);
}

export function isReport({ method, target }: { method: string; target: string }): boolean {
  return method === 'POST' && isReportTarget(target);
}

const sent = new WeakMap<object, { second: number; count: number }>();

/** `connection` is the one that it came on. */
export function reportOf(connection: object, content: Buffer, nowMs: number): Report {
  if (content.length > MAX_REPORT_BYTES) return { refused: 413 };
  const second = Math.floor(nowMs / 1000);
  const known = sent.get(connection);
  const count = known?.second === second ? known.count + 1 : 1;
  sent.set(connection, { second, count });
  if (count > MAX_A_SECOND) return { refused: 429 };
  return {
    lines: content
      .toString('utf8')
      .split(/\r?\n/u)
      .filter((line) => line !== ''),
  };
}

interface Content {
  on(event: 'data', listener: (chunk: Buffer) => void): unknown;
  once(event: 'end' | 'close', listener: () => void): unknown;
  destroy(): unknown;
}

/** Resolves with one byte too many at most, and with undefined for a client that is gone, or has not sent it all within `boundMs`. */
export function readReport(content: Content, clock: Clock, boundMs: number): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const cancelWait = clock.after(boundMs, () => void content.destroy());
    const chunks: Buffer[] = [];
    let length = 0;
    const done = (): void => {
      cancelWait();
      resolve(Buffer.concat(chunks).subarray(0, MAX_REPORT_BYTES + 1));
    };
    content.on('data', (chunk) => {
      if (length > MAX_REPORT_BYTES) return;
      length += chunk.length;
      chunks.push(chunk);
      if (length > MAX_REPORT_BYTES) done();
    });
    content.once('end', done);
    content.once('close', () => {
      cancelWait();
      resolve(undefined);
    });
  });
}
