/** Recordings as callers see them: rows that follow the runs, and what can be asked of them. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { HeldRecording, Recording } from '../../domain/shapes/media/recording.ts';
import { recordingRow } from '../helpers/recording-row.ts';
import { until } from '../helpers/until.ts';
import { addBroadcast } from '../app/broadcast.ts';
import type { Row } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

interface Recorded {
  app: TestApp;
  livestreamId: number;
  publishingId: number;
  runId: string;
  key: { livestreamId: number; runId: string; publishingId: number };
}

async function recordOnAir(t: TestContext, settings: object = {}): Promise<Recorded> {
  const app = await startTestApp({ timezone: 'Europe/Zurich' });
  t.after(() => app.close());
  const { livestreamId } = await addBroadcast(app);
  const { id: publishingId } = await app.data('addPublishing', { name: 'Archive', type: 'Record', settings });
  await app.data('updateLivestream', { livestreamId, publishingId });
  await app.data('startLivestream', { livestreamId });
  const { runId } = (await app.store.get('runs', livestreamId))!.row;
  await until('the run at the Device', () => app.device.runIds.includes(runId));
  app.device.running(runId);
  return { app, livestreamId, publishingId, runId, key: { livestreamId, runId, publishingId } };
}

/** A part has begun, as the runner tells it. */
async function open({ app, publishingId, runId, key }: Recorded): Promise<Row> {
  app.device.putRecording(key);
  app.device.emit(runId, 'recording_opened', 'Recording begins.', 'info', { publishingId, file: `${runId}-1.mp4` });
  return until('the row', async () => (await app.rows('getRecordings'))[0]);
}

const TRACKS: HeldRecording['tracks'] = [
  { trackId: 1, kind: 'video', codec: 'h264', language: null, bitrate_kbps: 2480, width: 1280, height: 720 },
];

async function stopAndFinish(recorded: Recorded, more: Partial<HeldRecording> = {}): Promise<void> {
  const { app, livestreamId, key } = recorded;
  await app.data('stopLivestream', { livestreamId });
  app.clock.advance(1000);
  const finished = { state: 'finished', duration_seconds: 61.5, size_bytes: 9000, tracks: TRACKS } as const;
  app.device.putRecording(key, { ...finished, ended_at: '2026-01-01T00:01:01.500Z', ...more });
}

const eventsOf = ({ app, livestreamId }: Recorded, kind: string): Promise<Row[]> =>
  app.rows('getLivestreamEvents', { livestreamId, kind });

describe('a Recording from its first part to its end', () => {
  it('a Recording is opened by its run, grows with the reports, and is finished by the Device', async (t) => {
    const recorded = await recordOnAir(t, { delete_after: 7 });
    const { app, livestreamId, publishingId, runId } = recorded;
    const row = await open(recorded);
    assert.equal(row['status'], 'recording');
    assert.equal(row['ended_at'], null);
    assert.equal(row['delete_after'], 7);
    assert.deepEqual(row['qualities'], ['720p']);
    assert.equal(row['name'], 'Show 2026-01-01 01:00:00 (Archive)', 'by the clock of the service');
    assert.equal((await app.data('getLivestreamStatus', { livestreamId }))['recordingId'], row.id);
    assert.deepEqual(
      (row['tracks'] as Row[]).map(({ codec }) => codec),
      ['h264', 'mp4a'],
    );

    app.device.tell(runId, { recordings: [{ publishingId, seconds: 12.5, bytes: 4000, files: 1 }] });
    const growing = await app.data('getRecording', { recordingId: row.id });
    assert.deepEqual([growing['duration_seconds'], growing['size_bytes']], [12.5, 4000]);
    const stored = (await app.store.get('recordings', row.id))!;
    assert.equal(stored.version, 1, 'what grows is not written into the store');

    for (const name of ['deleteRecording', 'createRecordingDownload'])
      await app.refused('wrong_state', name, { recordingId: row.id });

    await stopAndFinish(recorded);
    const done = await until('it is finished', async () => {
      const now = await app.data('getRecording', { recordingId: row.id });
      return now['status'] === 'finished' ? now : undefined;
    });
    assert.deepEqual(
      [done['duration_seconds'], done['size_bytes'], done['ended_at'], done['files']],
      [61.5, 9000, '2026-01-01T00:01:01.500Z', 1],
    );
    const tracks = await app.rows('getRecordingTracks', { recordingId: row.id });
    assert.deepEqual(tracks, TRACKS as unknown as Row[]);
    await until('off', async () => (await app.store.get('runs', livestreamId))!.row.status === 0);
    assert.equal((await app.data('getLivestreamStatus', { livestreamId }))['recordingId'], null);
    assert.equal((await eventsOf(recorded, 'recording_finished')).length, 1);
  });

  it('a Recording counts each part once, whatever is reported twice', async (t) => {
    const recorded = await recordOnAir(t);
    const { app, publishingId, runId } = recorded;
    const { id } = await open(recorded);
    const closed = (seconds: number): void =>
      void app.device.emit(runId, 'recording_closed', 'Closed.', 'info', { publishingId, seconds, bytes: 100 });
    closed(10);
    app.device.emit(runId, 'recording_opened', 'On it goes.', 'info', { publishingId, file: `${runId}-2.mp4` });
    closed(5);
    // Every watcher gets all events again.
    app.device.goOffline();
    app.device.goOnline();
    const row = await until('both parts', async () => {
      const now = await app.data('getRecording', { recordingId: id });
      return now['files'] === 2 ? now : undefined;
    });
    await until('the second part is closed', async () => (await eventsOf(recorded, 'recording_closed')).length === 2);
    const { duration_seconds, size_bytes } = await app.data('getRecording', { recordingId: id });
    assert.deepEqual([duration_seconds, size_bytes], [15, 200]);
    assert.equal((await app.rows('getRecordings')).length, 1);
    assert.equal(row['status'], 'recording');
  });

  it('a Recording says that it is paused by a full disk, until its next part', async (t) => {
    const recorded = await recordOnAir(t);
    const { app, publishingId, runId } = recorded;
    const { id } = await open(recorded);
    const errorstatus = async (): Promise<unknown> =>
      (await app.data('getRecording', { recordingId: id }))['errorstatus'];
    const full = { publishingId, reason: 'disk' };
    app.device.emit(runId, 'destination_down', 'Destination "Archive" is paused: the disk is full.', 'error', full);
    await until('the pause', async () => /the disk is full/u.test(String(await errorstatus())));
    app.device.emit(runId, 'recording_opened', 'On it goes.', 'info', { publishingId, file: `${runId}-2.mp4` });
    await until('it goes on', async () => (await errorstatus()) === null);
    assert.equal((await app.data('getRecording', { recordingId: id }))['status'], 'recording');
  });

  it('a Recording of which no media is left has failed, and a run that never recorded has none', async (t) => {
    const recorded = await recordOnAir(t);
    const { app, livestreamId, publishingId, key } = recorded;
    app.device.putRecording(
      { ...key, publishingId: publishingId + 1 },
      { state: 'failed', files: 0, reason: 'There is no media in it.' },
    );
    const { id } = await open(recorded);
    await app.data('stopLivestream', { livestreamId });
    app.device.putRecording(key, { state: 'failed', files: 0, reason: 'There is no media in it.' });
    const row = await until('failed', async () => {
      const now = await app.data('getRecording', { recordingId: id });
      return now['status'] === 'failed' ? now : undefined;
    });
    assert.equal(row['errorstatus'], 'There is no media in it.');
    assert.deepEqual(await app.ids('getRecordings'), [id]);
  });

  it('a Recording says why it waits for room, once for each reason', async (t) => {
    const recorded = await recordOnAir(t);
    const { app, livestreamId, key } = recorded;
    const { id } = await open(recorded);
    await app.data('stopLivestream', { livestreamId });
    for (let message = 0; message < 3; message += 1)
      app.device.putRecording(key, { state: 'joining', reason: 'the disk has no room.' });
    await until(
      'the reason',
      async () => (await app.data('getRecording', { recordingId: id }))['errorstatus'] !== null,
    );
    const warnings = (await eventsOf(recorded, 'recording_closed')).filter(({ severity }) => severity === 'warning');
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]!['message'] as string, /waits: the disk has no room\./u);
    app.device.putRecording(key, { state: 'finished', reason: null, duration_seconds: 3 });
    await until('finished', async () => (await app.data('getRecording', { recordingId: id }))['status'] === 'finished');
  });
});

describe('the comparison of Recordings with a Device that is back', () => {
  it('a Recording finished while its Device was away is finished; one whose files are lost has failed, with the reason', async (t) => {
    const recorded = await recordOnAir(t);
    const { app, livestreamId, key } = recorded;
    const { id } = await open(recorded);
    await app.data('stopLivestream', { livestreamId });
    await until('off, without its last word', async () => {
      app.clock.advance(1000);
      return (await app.store.get('runs', livestreamId))!.row.status === 0;
    });
    app.device.goOffline();
    app.device.putRecording(key, { state: 'finished', duration_seconds: 9, ended_at: '2026-01-01T00:00:09.000Z' });
    assert.equal((await app.data('getRecording', { recordingId: id }))['status'], 'recording');
    app.device.goOnline();
    await until('finished', async () => (await app.data('getRecording', { recordingId: id }))['status'] === 'finished');

    app.device.goOffline();
    app.device.loseRecording(key);
    app.device.goOnline();
    const lost = await until('failed', async () => {
      const now = await app.data('getRecording', { recordingId: id });
      return now['status'] === 'failed' ? now : undefined;
    });
    assert.match(lost['errorstatus'] as string, /no longer on Device/u);
    await app.refused('wrong_state', 'createRecordingDownload', { recordingId: id });
  });

  it('a recorded file that this server has ordered gets its row back; that of another server does not', async (t) => {
    const recorded = await recordOnAir(t);
    const { app, key } = recorded;
    app.device.putRecording({ ...key, runId: 'of-another-server' }, { state: 'finished', duration_seconds: 1 });
    app.device.putRecording(key, { state: 'finished', duration_seconds: 4, ended_at: '2026-01-01T00:00:04.000Z' });
    const [row] = await until('a row', async () => {
      const rows = await app.rows('getRecordings');
      return rows.length > 0 ? rows : undefined;
    });
    assert.deepEqual([row!['status'], row!['duration_seconds']], ['finished', 4]);
    app.device.goOffline();
    app.device.goOnline();
    await app.data('getLivestreamStatus', { livestreamId: key.livestreamId });
    assert.equal((await app.rows('getRecordings')).length, 1);
  });
});

describe('operations on Recordings', () => {
  async function heldRecordings(
    t: TestContext,
  ): Promise<{ app: TestApp; add: (more: Partial<Recording>) => Promise<number> }> {
    const app = await startTestApp();
    t.after(() => app.close());
    let run = 0;
    const add = async (more: Partial<Recording>): Promise<number> => {
      const row = recordingRow({ runId: `run-${(run += 1)}`, deviceId: app.deviceId, ...more });
      const { id } = await app.store.tx((tx) => tx.insert('recordings', row));
      app.device.putRecording({ ...row }, { state: row.status });
      return id;
    };
    return { app, add };
  }

  it('the list of Recordings is narrowed by Live stream, status, time of the beginning and name', async (t) => {
    const { app, add } = await heldRecordings(t);
    const first = await add({ livestreamId: 1, name: 'Morning show' });
    const second = await add({ livestreamId: 2, name: 'News', started_at: '2026-01-02T00:00:00.000Z' });
    const third = await add({
      livestreamId: 2,
      name: 'Late news',
      status: 'failed',
      started_at: '2026-01-03T00:00:00.000Z',
    });
    assert.deepEqual(await app.ids('getRecordings'), [first, second, third]);
    assert.deepEqual(await app.ids('getRecordings', { livestreamId: 2 }), [second, third]);
    assert.deepEqual(await app.ids('getRecordings', { status: 'failed' }), [third]);
    assert.deepEqual(await app.ids('getRecordings', { from: '2026-01-02T00:00:00Z', to: '2026-01-03T00:00:00Z' }), [
      second,
    ]);
    assert.deepEqual(await app.ids('getRecordings', { search: 'news' }), [second, third]);
    assert.deepEqual(await app.ids('getRecordings', { sort: '-started_at' }), [third, second, first]);
    const [row] = await app.rows('getRecordings', { fields: 'name' });
    assert.deepEqual(row, { id: first, name: 'Morning show' });
    assert.ok(!('runId' in (await app.data('getRecording', { recordingId: first }))), 'the run is an inner matter');
  });

  it('a Recording is deleted with its files, and stays while its Device is away', async (t) => {
    const { app, add } = await heldRecordings(t);
    const recordingId = await add({});
    app.device.goOffline();
    await app.refused('unavailable', 'deleteRecording', { recordingId });
    app.device.goOnline();
    await app.refused('version_mismatch', 'deleteRecording', { recordingId }, { ifMatch: '"99"' });
    assert.equal((await app.device.recordings.list()).length, 1, 'a refused call has removed nothing');
    assert.deepEqual(await app.data('deleteRecording', { recordingId }), { id: recordingId, deleted: true });
    assert.deepEqual(await app.device.recordings.list(), []);
    await app.refused('not_found', 'getRecording', { recordingId });
  });

  it('a link to a Recording is valid for a day at most', async (t) => {
    const { app, add } = await heldRecordings(t);
    const recordingId = await add({ name: 'Show 2026-01-01 00:00:00 (A/B "x")' });
    const link = await app.data('createRecordingDownload', { recordingId, expires_in: 60 });
    assert.equal(link['expires_at'], '2026-01-01T00:01:00.000Z');
    assert.equal(link['filename'], 'Show 2026-01-01 00.00.00 (A_B _x_).mp4');
    const url = new URL(link['url'] as string);
    assert.equal(url.pathname, `/svcapiv2/recordings/${recordingId}/file`);
    assert.equal(url.searchParams.get('expires'), String(Date.parse('2026-01-01T00:01:00Z') / 1000));
    const day = await app.data('createRecordingDownload', { recordingId });
    assert.equal(day['expires_at'], '2026-01-01T01:00:00.000Z');
    await app.refused('invalid_input', 'createRecordingDownload', { recordingId, expires_in: 86_401 });
    await app.refused('rule_violated', 'createRecordingDownload', { recordingId, part: 2 });
  });
});
