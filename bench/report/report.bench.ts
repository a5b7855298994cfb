/** How long the report of eight hours on air takes, whose curves lie on a disk: the page to print, and what an assistant gets. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { curveFile, HEAD, placeOf, RECORD_BYTES, writeRecord } from '../../device/curves/curve-file.ts';
import { readCurves } from '../../device/curves/curve-reader.ts';
import { addEvent } from '../../domain/rules/rows/event-log.ts';
import type { EventKind } from '../../domain/shapes/installation/event.ts';
import { CURVE_NAMES, type CurveValues } from '../../domain/shapes/reports/curves.ts';
import { addBroadcast } from '../../test/app/broadcast.ts';
import { startTestApp } from '../../test/app/test-app.ts';
import { bounded, median, type Figure } from '../figures.ts';

const HOURS = 8;
const SECONDS = HOURS * 3600;
const ROUNDS = 9;
/** A source that is lost for some seconds every five minutes, and a Destination that is every minute: a bad evening. */
const [SOURCE_EVERY, PATH_EVERY, LOST_SECONDS] = [300, 60, 5];

export async function benchReport(): Promise<Figure[]> {
  const app = await startTestApp();
  try {
    const { livestreamId, publishingId } = await addBroadcast(app);
    const endMs = app.clock.now();
    const at = (seconds: number): string => new Date(endMs - (SECONDS - seconds) * 1000).toISOString();
    await app.store.tx((tx) => {
      const tell = (seconds: number, kind: EventKind, data: object): void => {
        const all = { runId: 'evening', deviceId: app.deviceId, ...data };
        addEvent(tx, at(seconds), livestreamId, {
          kind,
          severity: 'info',
          message: `${kind} of an evening.`,
          data: all,
        });
      };
      tell(0, 'start_requested', {});
      tell(1, 'started', {});
      const path = { publishingId, path: 'primary' };
      for (let s = PATH_EVERY; s < SECONDS - LOST_SECONDS; s += PATH_EVERY) {
        tell(s, 'destination_down', path);
        tell(s + LOST_SECONDS, 'destination_up', path);
        if (s % SOURCE_EVERY !== 0) continue;
        tell(s + 1, 'source_lost', { channelId: 1 });
        tell(s + 1 + LOST_SECONDS, 'source_restored', { channelId: 1 });
      }
      const sums = { sessions: 0, starts: 0, start_ms: 0, stalls: 0, stalled_ms: 0, watched_ms: 0 };
      for (let s = 60; s < SECONDS; s += 60) {
        const totals = { peak: 400, sessions: s, seconds: s * 300, renditions: [], players: [], sums };
        tx.insert('audienceMinutes', { at: at(s), livestreamId, runId: 'evening', ...totals });
      }
    });
    writeCurves(app.dir, livestreamId, endMs);
    app.device.curves = (id, wanted) => readCurves(app.dir, id, wanted);
    const figures: Figure[] = [];
    for (const [what, how] of [
      ['the page', { format: 'html' }],
      ['what an assistant gets', { format: 'json' }],
    ] as const) {
      const seconds: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const begun = performance.now();
        await app.data('getRunReport', { livestreamId, ...how });
        seconds.push((performance.now() - begun) / 1000);
      }
      const name = `the report of ${HOURS} hours on air, ${what}`;
      figures.push(bounded(name, median(seconds), 2, 's', `median of ${ROUNDS}; ${(SECONDS / PATH_EVERY) * 2} events`));
    }
    return figures;
  } finally {
    await app.close();
  }
}

/** A record a second, as the process of a run writes them. */
function writeCurves(dir: string, livestreamId: number, endMs: number): void {
  const path = curveFile(dir, { livestreamId, runId: 'evening' });
  const end = Math.floor(endMs / 1000);
  const values = Object.fromEntries(CURVE_NAMES.map((name, index) => [name, index])) as CurveValues;
  const last = Math.max(...Array.from({ length: SECONDS }, (_, s) => placeOf(end - s)));
  const file = Buffer.alloc(last + RECORD_BYTES);
  HEAD.copy(file);
  const record = Buffer.alloc(RECORD_BYTES);
  for (let s = 0; s < SECONDS; s += 1) {
    writeRecord(record, end - s, values);
    record.copy(file, placeOf(end - s));
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, file);
}
