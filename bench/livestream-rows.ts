/** Fills a store as a large user has it, with many Live streams, some of them on air. */
import { z } from 'zod/v3';
import { livestreamCreate } from '../domain/shapes/broadcasts/livestream.ts';
import type { Run } from '../domain/shapes/broadcasts/run.ts';
import type { Store } from '../domain/ports/store.ts';

const CHANNELS = 20;
const FIRST_CREATED_MS = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;

/** One row in twenty is on air, one in ten is disabled. */
export async function fillLivestreams(store: Store, rows: number): Promise<void> {
  const complete = z.object(livestreamCreate);
  await store.tx((tx) => {
    for (let at = 0; at < rows; at += 1) {
      const created_at = new Date(FIRST_CREATED_MS + ((at * 7919) % rows) * MINUTE_MS).toISOString();
      const own = { name: `Match ${at} of the season`, channelId: 1 + (at % CHANNELS), enabled: at % 10 !== 9 };
      const description = 'Friday night, second division, with the reserve camera and the commentary of the home side.';
      const fields = complete.parse({ ...own, description, encodingGroupId: 1, publishingGroupId: 1 });
      const { id } = tx.insert('livestreams', { ...fields, created_at, updated_at: created_at, created_by: 'admin' });
      if (at % 400 < CHANNELS) tx.insert('runs', runOf(id, created_at));
    }
  });
}

function runOf(id: number, since: string): Run {
  const order = { desired: 'on', status: 2, errorstatus: null, since, started_at: since, runId: `run-${id}` } as const;
  const place = { deviceId: 1, slot: 1, cost: 1, boundPublishings: [1], boundEncodings: [1] };
  const startConfig = [{ publishingId: 1, primary: true, backup: false }];
  return { id, ...order, ...place, startConfig, scheduleId: null, requested_by: 'admin', lastEventSeq: 0 };
}
