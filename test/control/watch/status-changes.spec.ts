/** The changes of a status: which there are, and what is told of them. */
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { RowChanges } from '../../../control/watch/row-changes.ts';
import { rateRow } from '../../../control/watch/rates.ts';
import { statusChange } from '../../../control/watch/status-changes.ts';
import { StatusQueue } from '../../../control/watch/status-queue.ts';
import { isSameJson } from '../../../domain/base/json.ts';
import type { LivestreamStatusView, PathStatus } from '../../../domain/shapes/broadcasts/livestream-status.ts';
import type { RunReport } from '../../../domain/shapes/broadcasts/run.ts';

const AT = '2026-01-01T00:00:00.000Z';
const path: PathStatus = {
  enabled: true,
  state: 'up',
  since: AT,
  down_since: null,
  attempts: 0,
  next_retry_at: null,
  last_error: null,
  refused: false,
};
const view: LivestreamStatusView = {
  livestreamId: 7,
  name: 'Show',
  status: 2,
  errorstatus: null,
  since: AT,
  uptime_seconds: 10,
  deviceId: 1,
  slot: 1,
  source: { channelId: 3, state: 'up', fps: 25, bitrate_kbps: 2500, last_frame_at: AT, ingest: null },
  conditions: [],
  source_watched: true,
  lost_seconds: 5,
  encodings: [{ encodingId: 4, fps: 25, bitrate_kbps: 2000, speed: 1, dropped: 0 }],
  publishings: [{ publishingId: 5, name: 'Web', type: 'HLS / TS', primary: path, backup: null, notes: [] }],
  runtime: { logo: null, blackout: 'Live', text: null, source: 3 },
  recordingId: null,
  recording_on_request: false,
  viewers: null,
  scheduleId: null,
  on_air: true,
  device_lost_since: null,
};

describe('the change of a status', () => {
  it('another number of viewers is a change of a status, and the minutes that they have watched are none', () => {
    const watched = { ...view, viewers: { now: 2, peak: 3, minutes: 10 } };
    assert.deepEqual(statusChange(view, watched), { livestreamId: 7, viewers: watched.viewers });
    const longer = { ...watched, viewers: { ...watched.viewers, minutes: 11 } };
    assert.equal(statusChange(watched, longer), undefined);
    const more = { ...longer, viewers: { now: 3, peak: 3, minutes: 11 } };
    assert.deepEqual(statusChange(longer, more), { livestreamId: 7, viewers: more.viewers });
  });

  it('rates, frames, dropped pictures and the up-time are no change of a status', () => {
    const later: LivestreamStatusView = {
      ...structuredClone(view),
      uptime_seconds: 11,
      source: { ...view.source!, fps: 24.9, bitrate_kbps: 2400, last_frame_at: '2026-01-01T00:00:01.000Z' },
      encodings: [{ encodingId: 4, fps: 24, bitrate_kbps: 1900, speed: 0.99, dropped: 3 }],
    };
    assert.equal(statusChange(view, later), undefined);
  });

  it('a change has the changed members alone, each whole', () => {
    const lost = { ...view.source!, state: 'lost' as const };
    assert.deepEqual(statusChange(view, { ...view, source: lost }), { livestreamId: 7, source: lost });
    const publishings = [{ ...view.publishings[0]!, primary: { ...path, state: 'retrying' as const, attempts: 1 } }];
    assert.deepEqual(statusChange(view, { ...view, publishings }), { livestreamId: 7, publishings });
    const recorded = { ...view, recording_on_request: true };
    assert.deepEqual(statusChange(view, recorded), { livestreamId: 7, recording_on_request: true });
    assert.deepEqual(statusChange(view, { ...view, encodings: [] }), { livestreamId: 7, encodings: [] });
    const conditions = [{ kind: 'black' as const, since: AT }];
    assert.deepEqual(statusChange(view, { ...view, conditions }), { livestreamId: 7, conditions });
    assert.deepEqual(statusChange(view, { ...view, source: null }), { livestreamId: 7, source: null });
  });

  it('a change of the status brings the up-time to count on from', () => {
    const change = statusChange({ ...view, status: 1, on_air: false, uptime_seconds: 0 }, view);
    assert.deepEqual(change, { livestreamId: 7, status: 2, on_air: true, uptime_seconds: 10 });
  });
});

describe('statuses that wait to be told', () => {
  let now: LivestreamStatusView | undefined;
  let queue: StatusQueue;
  beforeEach(() => {
    now = view;
    queue = new StatusQueue(() => now);
    queue.know(7, 0);
  });

  it('a mark without a change tells nothing', () => {
    queue.mark(7);
    assert.equal(queue.isEmpty, false);
    assert.deepEqual(queue.take(10), []);
    assert.equal(queue.isEmpty, true);
  });

  it('a change is told once, with the caller of its commit', () => {
    now = { ...view, name: 'Gala' };
    queue.mark(7, { user: 'ana', via: 'rest' });
    queue.mark(7);
    const by = { user: 'ana', via: 'rest' };
    assert.deepEqual(queue.take(10), [{ type: 'status', livestreams: [{ livestreamId: 7, name: 'Gala' }], by }]);
    queue.mark(7);
    assert.deepEqual(queue.take(20), []);
  });

  it('a commit that comes after the report of its change is told with the same members again, and with its caller', () => {
    const runtime = { ...view.runtime, text: 'Goal' };
    now = { ...view, runtime };
    queue.mark(7);
    assert.deepEqual(queue.take(10), [{ type: 'status', livestreams: [{ livestreamId: 7, runtime }] }]);
    queue.mark(7, { user: 'ana', via: 'mcp' });
    const by = { user: 'ana', via: 'mcp' };
    assert.deepEqual(queue.take(30), [{ type: 'status', livestreams: [{ livestreamId: 7, runtime }], by }]);
  });

  it('changes of two callers are two messages', () => {
    const many = new StatusQueue((livestreamId) => ({ ...view, livestreamId, name: 'new' }));
    for (const livestreamId of [1, 2, 3]) many.mark(livestreamId, { user: livestreamId < 3 ? 'ana' : 'bo', via: 'ui' });
    many.mark(4);
    const messages = many.take(0).map(({ livestreams, by }) => [by?.user, livestreams.map((one) => one.livestreamId)]);
    assert.deepEqual(messages, [
      ['ana', [1, 2]],
      ['bo', [3]],
      [undefined, [4]],
    ]);
  });

  it('a Live stream that nobody knows yet is told whole, a deleted one not at all', () => {
    queue = new StatusQueue(() => now);
    queue.mark(7);
    assert.deepEqual(queue.take(0), [{ type: 'status', livestreams: [view] }]);
    now = undefined;
    queue.mark(7);
    assert.deepEqual(queue.take(0), []);
  });
});

describe('rates', () => {
  const report = {
    livestreamId: 7,
    source: view.source,
    encodings: view.encodings,
  } as unknown as RunReport;

  it('a row has source, time since the last frame and renditions; levels that a runner does not report are null', () => {
    const row = rateRow(report, Date.parse(AT) + 40);
    assert.deepEqual(row, [7, 25, 2500, 40, null, null, null, [[4, 25, 2000, 1, 0]]]);
  });

  it('a row has the peaks and flags that the runner reports, no time where no frame has come, and whole kbit/s', () => {
    const source = { ...view.source!, bitrate_kbps: 2500.4, last_frame_at: null };
    const row = rateRow({ ...report, source, ...({ peaks: [-12.5, -14], flags: 6 } as object) }, Date.parse(AT));
    assert.deepEqual(row.slice(2, 7), [2500, null, -12.5, -14, 6]);
  });
});

describe('written rows', () => {
  it('rows are told by collection, each id once, and too many as null', () => {
    const rows = new RowChanges();
    assert.ok(rows.isEmpty);
    for (const id of [1, 2, 1]) rows.add('channels', id);
    for (let id = 1; id <= 101; id += 1) rows.add('assets', id);
    for (let id = 1; id <= 100; id += 1) rows.add('users', id);
    const taken = rows.take();
    assert.deepEqual(taken.get('channels'), [1, 2]);
    assert.equal(taken.get('assets'), null);
    assert.equal(taken.get('users')?.length, 100);
    assert.ok(rows.isEmpty);
  });
});

describe('the comparison of JSON values', () => {
  it('values are the same as they would be as JSON, whatever the order of their fields', () => {
    assert.ok(isSameJson({ a: [1, { b: null }], c: undefined }, { a: [1, { b: null }] }));
    assert.ok(isSameJson({ a: 1, b: 2 }, { b: 2, a: 1, c: undefined }));
    const others: [unknown, unknown][] = [
      [{ a: 1 }, { a: 1, b: 2 }],
      [{ a: 1, b: 2 }, { a: 1 }],
      [[1], [1, 2]],
      [[], {}],
      [null, {}],
      [null, undefined],
      ['1', 1],
    ];
    for (const [one, other] of others) assert.ok(!isSameJson(one, other), JSON.stringify([one, other]));
  });
});
