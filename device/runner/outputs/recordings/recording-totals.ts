/** The seconds and bytes that the Record Destinations of a run have written, parts of earlier runners included. */
import { statSync } from 'node:fs';
import type { RunEvent, RunReport } from '../../../../domain/shapes/broadcasts/run.ts';

type RecordingTotal = NonNullable<RunReport['recordings']>[number];

interface Growing {
  seconds: number;
  path: string;
}

export class RecordingTotals {
  private readonly whole = new Map<number, Omit<RecordingTotal, 'publishingId'>>();
  private readonly growing = new Map<number, Growing>();

  grown(publishingId: number, seconds: number, path: string): void {
    this.growing.set(publishingId, { seconds, path });
  }

  closed(publishingId: number, seconds: number, bytes: number): void {
    this.growing.delete(publishingId);
    const before = this.whole.get(publishingId) ?? { seconds: 0, bytes: 0, files: 0 };
    this.whole.set(publishingId, {
      seconds: before.seconds + seconds,
      bytes: before.bytes + bytes,
      files: before.files + 1,
    });
  }

  /** Counts the files that earlier runners have closed. */
  closedBefore(events: readonly RunEvent[]): void {
    for (const { kind, data } of events) {
      const { publishingId, seconds, bytes } = data;
      if (kind !== 'recording_closed' || typeof publishingId !== 'number') continue;
      this.closed(publishingId, Number(seconds) || 0, Number(bytes) || 0);
    }
  }

  get facts(): RecordingTotal[] {
    return [...new Set([...this.whole.keys(), ...this.growing.keys()])].map((publishingId) => {
      const { seconds, bytes, files } = this.whole.get(publishingId) ?? { seconds: 0, bytes: 0, files: 0 };
      const part = this.growing.get(publishingId);
      if (part === undefined) return { publishingId, seconds, bytes, files };
      return {
        publishingId,
        seconds: Number((seconds + part.seconds).toFixed(3)),
        bytes: bytes + (statSync(part.path, { throwIfNoEntry: false })?.size ?? 0),
        files: files + 1,
      };
    });
  }
}
