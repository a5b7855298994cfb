/** Who watches: in the status, kept as minutes, and answered for any time. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import type { ReportedAudience } from '../../domain/shapes/broadcasts/audience.ts';
import { goOnAir, type OnAir } from '../app/on-air.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';
import { until } from '../helpers/until.ts';

let app: TestApp;
let show: OnAir;
beforeEach(async () => {
  app = await startTestApp();
  show = await goOnAir(app);
});
afterEach(() => app.close());

const NO_SUMS = { sessions: 0, starts: 0, start_ms: 0, stalls: 0, stalled_ms: 0, watched_ms: 0 };
const audienceOf = (now: number, seconds: number, more: Partial<ReportedAudience> = {}): ReportedAudience => ({
  now,
  peak: now,
  seconds,
  sessions: now,
  by: { session: now, token: 0, address: 0 },
  renditions: [{ encodingId: show.encodingId, now, seconds }],
  players: [{ player: 'Chrome', now, seconds }],
  sums: NO_SUMS,
  cached: false,
  ...more,
});
const viewers = async (): Promise<unknown> =>
  (await app.data('getLivestreamStatus', { livestreamId: show.livestreamId }))['viewers'];
const rows = async (): Promise<number> => (await app.store.find('audienceMinutes', {})).total;
async function minute(audience: ReportedAudience): Promise<void> {
  const before = await rows();
  app.device.tell(show.runId, { audience });
  app.clock.advance(60_000);
  await until('a row', async () => (await rows()) > before);
}
const audience = (more: object = {}): Promise<any> =>
  app.data('getLivestreamAudience', { livestreamId: show.livestreamId, ...more }, { user: 'operator' });

it('a Device of an earlier version says nothing of viewers, and so does the status; the answer says why', async () => {
  assert.equal(await viewers(), null);
  const { now, minutes, notes } = await audience();
  assert.deepEqual([now, minutes], [null, 0]);
  assert.deepEqual(notes, [
    'Not counted here, since others deliver it to its viewers, or nobody does: CDN (RTMP), Club (RTMP).',
    'Nobody is counted now: its Device is not heard, or of a version that does not count.',
  ]);
});

it('viewers of the run are in the status; those of any time are told by rendition and player, whatever was restarted between', async () => {
  const begin = new Date(app.clock.now()).toISOString();
  app.device.tell(show.runId, { audience: audienceOf(4, 10, { peak: 9 }) });
  await until('told', async () => (await viewers()) !== null);
  assert.equal((await audience()).peak, 9, 'before a row has it');
  await minute(audienceOf(10, 600));
  const later = new Date(app.clock.now()).toISOString();
  const sums = { sessions: 20, starts: 10, start_ms: 12_000, stalls: 3, stalled_ms: 12_000, watched_ms: 1_200_000 };
  await minute(audienceOf(20, 1800, { sums }));
  app.device.tell(show.runId, {
    audience: audienceOf(12, 2100, {
      sums,
      peak: 20,
      sessions: 25,
      by: { session: 10, token: 0, address: 2 },
      cached: true,
    }),
  });
  await until('told', async () => (await viewers()) !== null);
  assert.deepEqual(await viewers(), { now: 12, peak: 20, minutes: 35 });
  const whole = await audience();
  assert.deepEqual([whole.from, whole.now, whole.peak, whole.minutes, whole.sessions], [begin, 12, 20, 35, 25]);
  assert.deepEqual(whole.renditions, [{ encodingId: show.encodingId, name: '720p', now: 12, minutes: 35 }]);
  assert.deepEqual(whole.players, [{ player: 'Chrome', now: 12, minutes: 35 }]);
  assert.equal(whole.notes.length, 3, whole.notes.join(' '));
  assert.match(whole.notes.join(' '), /a cache or a CDN.*several of one address/u);
  const second = await audience({ from: later });
  assert.equal(second.minutes, 25, 'what was watched before does not count');
  assert.deepEqual(second.quality, { sessions: 20, start_seconds: 1.2, stalls: 3, stalled_percent: 1 });
  const first = await audience({ from: begin, to: later });
  assert.deepEqual([first.now, first.peak, first.minutes, first.quality.sessions], [null, 10, 10, 0]);
  assert.deepEqual(first.minutes_of, [{ at: later, viewers: 10, peak: 10 }]);
});

it('what the last report of a run says is kept at once, and a stop leaves nobody in the status', async () => {
  app.device.tell(show.runId, { audience: audienceOf(3, 90) });
  await until('told', async () => (await viewers()) !== null);
  await app.call('stopLivestream', { livestreamId: show.livestreamId });
  await until('off', async () => (await show.run()).status === 0);
  await until('kept', async () => (await rows()) === 1);
  assert.equal(await viewers(), null);
  app.clock.advance(1000);
  const { minutes, now, renditions } = await audience();
  assert.deepEqual([minutes, now, renditions.length], [1.5, null, 1]);
});

it('a time that is longer than a month, ends before it begins or is yet to come is refused', async () => {
  for (const wrong of [
    { from: '2025-11-01T00:00:00Z', to: '2025-12-31T00:00:00Z' },
    { from: '2025-12-31T00:00:00Z', to: '2025-12-30T00:00:00Z' },
    { from: '2027-01-01T00:00:00Z' },
  ])
    await app.refused('invalid_input', 'getLivestreamAudience', { livestreamId: show.livestreamId, ...wrong });
  await app.refused('not_found', 'getLivestreamAudience', { livestreamId: 999 });
});
