import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createControl, type ControlRuntime } from '../../control/control.ts';
import { buildRunSpec } from '../../control/start/run-spec.ts';
import type { AssetFiles } from '../../domain/ports/control.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import type { Store } from '../../domain/ports/store.ts';
import { openStore } from '../../store/open.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { FAKE_CAPABILITIES, FakeDevice } from '../helpers/fake-device.ts';
import { seedBroadcast } from '../helpers/seed.ts';
import { until } from '../helpers/until.ts';
import { silentLog } from '../helpers/silent-log.ts';
const files = { path: (bucket: string, name: string) => `/assets/${bucket}/${name}` } as AssetFiles;
const by = { username: 'admin' };

describe('control', () => {
  let store: Store;
  let clock: FakeClock;
  let device: FakeDevice;
  let control: ControlRuntime;
  let livestreamId: number;

  beforeEach(async () => {
    clock = new FakeClock();
    store = await openStore({ dir: '', clock, kind: 'memory' });
    livestreamId = await seedBroadcast(store);
    device = new FakeDevice({ now: () => new Date(clock.now()).toISOString() });
    control = await createControl({ store, clock, log: silentLog, assetFiles: files });
    await control.attachLocalDevice(device, 'here');
  });
  afterEach(async () => {
    control.close();
    await store.close();
  });

  const runRow = async (): Promise<Run> => {
    const found = await store.get('runs', livestreamId);
    assert.ok(found);
    return found.row;
  };
  const start = (request = {}): Promise<unknown> =>
    store.tx((tx) => control.orderStart(tx, new Date(clock.now()).toISOString(), livestreamId, request, by));
  const stop = (): Promise<unknown> =>
    store.tx((tx) => control.orderStop(tx, new Date(clock.now()).toISOString(), livestreamId, by));
  const runAtDevice = (): Promise<string> => until('a run at the Device', () => device.runIds.at(-1));
  const status = async (wanted: number): Promise<void> =>
    void (await until(`status ${wanted}`, async () => (await runRow()).status === wanted));
  const kinds = async (): Promise<string[]> => (await store.find('events', {})).rows.map((event) => event.kind);

  async function goOnAir(): Promise<string> {
    await start();
    const runId = await runAtDevice();
    device.running(runId);
    await status(2);
    return runId;
  }

  it('a status moves 0 → 1 with the order and 1 → 2 only on the report of a running run', async () => {
    await start();
    assert.equal((await runRow()).status, 1);
    const runId = await runAtDevice();
    assert.equal((await runRow()).runId, runId);
    assert.equal((await runRow()).slot, 1);
    device.running(runId);
    await status(2);
    assert.deepEqual(await kinds(), ['start_requested', 'started']);
  });

  it('control hands the runner what the Live stream shows', async () => {
    control.close();
    control = await createControl({ store, clock, log: silentLog, assetFiles: files, timezone: 'Europe/Zurich' });
    await control.attachLocalDevice(device, 'here');
    const crop = { left: 5, right: 0, top: 0, bottom: 0 };
    const overlay = { text: '%H:%M', position: 'Top', size: 40, color: '#ffffff', visible: true } as const;
    await store.tx((tx) => {
      const row = tx.get('livestreams', livestreamId);
      assert.ok(row);
      const size = { width: 10, height: 10, duration_seconds: null, size_bytes: 1, content_type: 'image/png' };
      tx.insert('assets', { filename: 'bug.png', fileType: 'logos', ...size, created_at: '', updated_at: '' });
      const logo = { filename: 'bug.png', position: 'Left' } as const;
      tx.put('livestreams', { ...row, crop, overlay, logo, scteMarkers: true });
    });
    await start();
    const spec = device.spec(await runAtDevice());
    const { visible: _shown, ...text } = overlay;
    assert.deepEqual(spec.picture, {
      logo: { filename: 'bug.png', position: 'Left', path: '/assets/logos/bug.png' },
      text,
      blackout: { mode: 'Live', file: null, keepAudio: false },
    });
    assert.deepEqual([spec.crop, spec.scteMarkers, spec.timezone], [crop, true, 'Europe/Zurich']);
    assert.deepEqual((await runRow()).boundAssets, [{ fileType: 'logos', filename: 'bug.png', use: 'logo' }]);
    const [event] = (await store.find('events', {})).rows;
    assert.deepEqual([event?.severity, event?.message], ['info', 'admin started "Show".']);
  });

  it('control changes nothing on a second start', async () => {
    const runId = await goOnAir();
    assert.deepEqual(await start(), { accepted: false, run: await runRow() });
    assert.equal((await runRow()).runId, runId);
    assert.equal(device.calls.filter((call) => call.method === 'start').length, 1);
  });

  it('a run moves to 3 with the reason when the encoder fails, is ended, and starts anew from 3', async () => {
    await start();
    const first = await runAtDevice();
    device.failed(first, 'The source never sent a frame.');
    await status(3);
    assert.equal((await runRow()).errorstatus, 'The source never sent a frame.');
    await until('the run forgotten', () => device.runIds.length === 0);
    await start();
    assert.equal((await runRow()).status, 1);
    assert.equal((await runRow()).errorstatus, null);
    assert.notEqual(await runAtDevice(), first);
  });

  it('the event of a start that failed differs from that of a broadcast that failed on air', async () => {
    await start();
    device.failed(await runAtDevice(), 'The source never sent a frame.');
    await status(3);
    assert.deepEqual(await kinds(), ['start_requested', 'start_failed']);
    await until('the run forgotten', () => device.runIds.length === 0);
    const runId = await goOnAir();
    device.failed(runId, 'Every Destination has failed.');
    await status(3);
    assert.deepEqual((await kinds()).slice(2), ['start_requested', 'started', 'stopped']);
    const { rows } = await store.find('events', { where: { kind: 'stopped' } });
    assert.deepEqual(
      rows.map(({ severity, message }) => [severity, message]),
      [['error', 'Off air: Every Destination has failed.']],
    );
  });

  it('control fails a start that nobody answers within 30 s', async () => {
    device.goOffline();
    await start().catch((error: unknown) => assert.equal((error as AppError).code, 'no_capacity'));
    device.goOnline();
    await until('online', async () => control.deviceState(1).online);
    device.refuseStarts(new AppError('unavailable', 'busy'));
    await start();
    await until('a try', () => device.calls.length > 0);
    clock.advance(29_100);
    await status(3);
    assert.equal((await runRow()).errorstatus, 'No media evidence within 30 s: busy.');
  });

  it('a start that times out names the last report of its Device, and never says of a Device that answers that it is silent', async () => {
    await start();
    const runId = await runAtDevice();
    await until('a report', () => control.lastReport(livestreamId)?.runId === runId);
    clock.advance(29_100);
    await status(3);
    assert.equal(
      (await runRow()).errorstatus,
      'No media evidence within 30 s: the Device answers, but its encoder has not opened the source yet.',
    );
    await until('the run forgotten', () => device.runIds.length === 0);
    await start();
    device.emit(
      await runAtDevice(),
      'source_lost',
      'Channel "Feed" gives nothing yet: nothing listens there.',
      'warning',
    );
    await until('the event', async () => (await kinds()).includes('source_lost'));
    clock.advance(29_100);
    await until('failed', async () => (await kinds()).filter((kind) => kind === 'start_failed').length === 2);
    assert.equal(
      (await runRow()).errorstatus,
      'No media evidence within 30 s: Channel "Feed" gives nothing yet: nothing listens there.',
    );
    await until('the run forgotten', () => device.runIds.length === 0);
    clock.advance(1000);
    await start();
    const third = await runAtDevice();
    device.emit(third, 'source_lost', 'Channel "Feed" gives nothing yet: nothing listens there.', 'warning');
    device.tell(third, { source: { ...device.report(third).source, state: 'up' } });
    await until('the source is known to have come', () => control.lastReport(livestreamId)?.source.state === 'up');
    clock.advance(29_100);
    await until('failed', async () => (await kinds()).filter((kind) => kind === 'start_failed').length === 3);
    assert.match((await runRow()).errorstatus ?? '', /30 s: no Destination has taken the stream \(.* is /u);
  });

  it('control says of a Device that went away while it was starting that it is not connected', async () => {
    await start();
    await runAtDevice();
    device.goOffline();
    await until('away', () => !control.deviceState(1).online);
    clock.advance(29_100);
    await status(3);
    assert.match((await runRow()).errorstatus ?? '', /^No media evidence within 30 s: Device .* is not connected\.$/u);
  });

  it('a runner that got its order late reports its failure before the limit of the start is over', async () => {
    device.refuseStarts(new AppError('unavailable', 'busy'));
    await start();
    await until('a try', () => device.calls.length > 0);
    clock.advance(12_000);
    device.refuseStarts(undefined);
    await until('the order taken', () => {
      clock.advance(100);
      return device.runIds.length > 0;
    });
    const { startTimeoutSeconds } = device.spec(device.runIds[0]!);
    const lateMs = clock.now() - Date.parse((await runRow()).since);
    assert.ok(lateMs >= 12_000 && startTimeoutSeconds < 14 && startTimeoutSeconds > 4, `${startTimeoutSeconds} s`);
    assert.ok(lateMs + startTimeoutSeconds * 1000 <= 26_000, 'well before the bound of 29 s');
  });

  it('a start that came on air while the server was away is on air, however long that was', async () => {
    await start();
    const runId = await runAtDevice();
    control.close();
    device.running(runId);
    clock.advance(60_000);
    control = await createControl({ store, clock, log: silentLog, assetFiles: files });
    await control.attachLocalDevice(device, 'here');
    clock.advance(100);
    await status(2);
    assert.deepEqual(await kinds(), ['start_requested', 'started']);
  });

  it('a start fails at once when the Device refuses the spec', async () => {
    device.refuseStarts(new AppError('unsupported_by_device', 'no such codec'));
    await start();
    await status(3);
    assert.equal((await runRow()).errorstatus, 'no such codec');
    device.refuseStarts(new AppError('rule_violated', 'The platform answered 422.', { upstream: 'No such ladder.' }));
    await start();
    await until('refused again', async () => (await runRow()).errorstatus?.startsWith('The platform') === true);
    assert.equal((await runRow()).errorstatus, 'The platform answered 422. It said: No such ladder.');
  });

  it('control stops to 0 only when the Device has ended the run, then forgets it', async () => {
    const runId = await goOnAir();
    const release = device.holdStops();
    await stop();
    await until('the stop at the Device', () => device.calls.some((call) => call.method === 'stop'));
    assert.equal((await runRow()).status, 2);
    await assert.rejects(start(), (error: AppError) => error.code === 'wrong_state');
    release();
    await status(0);
    await until('forgotten', () => !device.runIds.includes(runId));
    assert.deepEqual([(await runRow()).started_at, (await runRow()).slot], [null, null]);
  });

  it('control repeats a stop until the Device is back', async () => {
    await goOnAir();
    device.goOffline();
    await stop();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal((await runRow()).status, 2);
    device.goOnline();
    clock.advance(1000);
    await status(0);
  });

  it('control stores each event of a run once, whatever is sent again', async () => {
    const runId = await goOnAir();
    device.emit(runId, 'source_lost', 'The source is gone.', 'warning');
    await until('the event', async () => (await kinds()).includes('source_lost'));
    control.close();
    control = await createControl({ store, clock, log: silentLog, assetFiles: files });
    await control.attachLocalDevice(device, 'here');
    device.emit(runId, 'source_restored', 'The source is back.');
    await until('the next event', async () => (await kinds()).includes('source_restored'));
    assert.equal((await kinds()).filter((kind) => kind === 'source_lost').length, 1);
    assert.equal((await runRow()).status, 2);
    assert.equal(device.calls.filter((call) => call.method === 'start').length, 1);
  });

  it('control says a line of each broadcast in the log of the server, by severity', async () => {
    control.close();
    const lines: string[] = [];
    const line = (level: string) => (facts: object, message: string) => {
      if ('kind' in facts) lines.push(`${level} ${message}`);
    };
    const log = { info: line('info'), warn: line('warn'), error: line('error') };
    control = await createControl({ store, clock, log, assetFiles: files });
    await control.attachLocalDevice(device, 'here');
    const runId = await goOnAir();
    device.emit(runId, 'source_lost', 'The source is gone.', 'warning');
    device.emit(runId, 'runtime_changed', 'Nobody is woken for this.');
    device.emit(runId, 'source_restored', 'The source is back.');
    await until('the line', () => lines.some((text) => text.includes('is back')));
    await stop();
    await status(0);
    await until('the end', () => lines.some((text) => text.includes('Stopped')));
    assert.deepEqual(lines, [
      'info Show: admin started "Show".',
      'info Show: On air: viewers can see frames.',
      'warn Show: The source is gone.',
      'info Show: The source is back.',
      'info Show: admin stopped "Show".',
      'info Show: Stopped: all processes have ended.',
    ]);
  });

  it('control ends a run that comes up after it was given up', async () => {
    device.refuseStarts(new AppError('unavailable', 'busy'));
    await start();
    await until('a try', () => device.calls.length > 0);
    const { runId } = await runRow();
    clock.advance(29_100);
    await status(3);
    device.refuseStarts(undefined);
    const livestream = (await store.get('livestreams', livestreamId))?.row;
    assert.ok(livestream);
    const run = await runRow();
    await device.start(await store.tx((tx) => buildRunSpec(tx, livestream, { run, now: clock.now(), files })));
    device.running(runId);
    await until('the run ended', () => !device.runIds.includes(runId));
    assert.equal((await runRow()).status, 3);
  });

  it('control learns what the Device can do when it can do more', async () => {
    device.capabilities = { ...device.capabilities, ffmpeg_version: null, outputs: [] };
    device.goOffline();
    device.goOnline();
    await until('the lack', async () => (await store.get('devices', 1))?.row.capabilities?.ffmpeg_version === null);
    await assert.rejects(start(), (error: AppError) => error.code === 'unsupported_by_device');
    device.capabilities = FAKE_CAPABILITIES;
    await until('the new look', async () => {
      clock.advance(10_000);
      return (await store.get('devices', 1))?.row.capabilities?.ffmpeg_version !== null;
    });
    await start();
  });

  it('control ends what runs without an order, starts again what was lost, and stops what was to stop', async () => {
    const runId = await goOnAir();
    const run = (await store.get('runs', livestreamId))!.row;
    const restartWith = async (change: Partial<typeof run>): Promise<void> => {
      control.close();
      await store.tx((tx) => tx.put('runs', { ...run, ...change }));
      control = await createControl({ store, clock, log: silentLog, assetFiles: files });
      await control.attachLocalDevice(device, 'here');
    };
    for (const change of [{ status: 0, desired: 'off' }, { runId: 'another' }] as const) {
      await restartWith(change);
      await until('the stranger ended', () => !device.runIds.includes(runId));
    }
    await until('the ordered run started', () => device.runIds.includes('another'));
    device.emit('another', 'source_lost', 'The source is gone.', 'warning');
    await until('its first event', async () => (await kinds()).includes('source_lost'));
    assert.deepEqual((await kinds()).slice(1), ['started', 'encoder_restarted', 'source_lost']);
    await restartWith({ runId: 'another', desired: 'off' });
    await until('it has ended', () => !device.runIds.includes('another'));
  });

  it('a start is refused with every reason and its code', async () => {
    const refusalOf = async (request = {}): Promise<AppError> => {
      try {
        await start(request);
      } catch (error) {
        return error as AppError;
      }
      throw new Error('was accepted');
    };
    assert.equal((await refusalOf({ deviceId: 77 })).code, 'rule_violated');
    assert.equal(
      (await refusalOf({ startConfig: [{ publishingId: 77, primary: true, backup: false }] })).code,
      'rule_violated',
    );
    assert.equal(
      (await refusalOf({ startConfig: [{ publishingId: 1, primary: false, backup: false }] })).code,
      'rule_violated',
    );
    device.capabilities = {
      ...device.capabilities,
      outputs: ['Record'],
      missing: [{ feature: 'Publishing HLS / TS', needs: 'ffmpeg' }],
    };
    control.close();
    control = await createControl({ store, clock, log: silentLog, assetFiles: files });
    await control.attachLocalDevice(device, 'here');
    const unsupported = await refusalOf();
    assert.equal(unsupported.code, 'unsupported_by_device');
    assert.match(unsupported.message, /Publishing HLS \/ TS needs ffmpeg/u);
    const check = await store.tx((tx) => control.checkStart(tx, livestreamId, {}));
    assert.deepEqual([check.startAllowed, check.reasons.map((reason) => reason.code)], [false, ['unsupported']]);
  });

  it('the start that exceeds the capacity of a Device is refused, and the refusal names the free capacity', async () => {
    const ids = [livestreamId];
    for (let n = 2; n <= 30; n += 1) ids.push(await seedBroadcast(store, ` ${n}`));
    const outcomes = await Promise.allSettled(
      ids.map((id) => store.tx((tx) => control.orderStart(tx, '2026-01-01T00:00:00.000Z', id, {}, by))),
    );
    const refused = outcomes
      .filter((outcome) => outcome.status === 'rejected')
      .map((outcome) => outcome.reason as AppError);
    assert.ok(refused.length > 0);
    for (const error of refused) assert.equal(error.code, 'no_capacity', String(error.stack));
    assert.match(refused[0]?.message ?? '', /Device 1 "here" has \d/u);
    const runs = (await store.find('runs', { where: { status: 1 } })).rows;
    assert.ok(runs.reduce((sum, run) => sum + run.cost, 0) <= device.cores * 0.75);
    assert.deepEqual(
      runs.map((run) => run.slot).sort((a, b) => (a ?? 0) - (b ?? 0)),
      runs.map((_, index) => index + 1),
    );
  });

  it('a Live stream starts as the last time, a Destination bound since switched on and one left out still off', async () => {
    const now = new Date(clock.now()).toISOString();
    const bind = (elements: number[]): Promise<void> =>
      store.tx((tx) => {
        const group = tx.find('publishingGroups', {}).rows[0];
        if (group !== undefined) return tx.put('publishingGroups', { ...group, elements });
        const made = { name: 'Outputs', description: null, elements, created_at: now, updated_at: now };
        const { id } = tx.insert('publishingGroups', made);
        const livestream = tx.get('livestreams', livestreamId);
        assert.ok(livestream);
        tx.put('livestreams', { ...livestream, publishingId: null, publishingGroupId: id });
      });
    const web = (await store.get('publishings', 1))?.row;
    assert.ok(web);
    for (const id of [2, 3]) await store.tx((tx) => tx.insert('publishings', { ...web, id, name: `Web ${id}` }));
    await bind([1, 2]);
    await start({ startConfig: [{ publishingId: 1, primary: true, backup: false }] });
    await stop();
    await status(0);
    await bind([1, 2, 3]);
    const check = await store.tx((tx) => control.checkStart(tx, livestreamId, {}));
    assert.deepEqual(
      check.startConfig.map((entry) => entry.publishingId),
      [1, 3],
    );
  });

  it('control waits for an outcome, to the bound and no longer', async () => {
    await start();
    const runId = await runAtDevice();
    const never = new AbortController();
    const waiting = control.waitFor(livestreamId, [2, 3], 5000, never.signal);
    device.running(runId);
    assert.equal(await waiting, 2);
    const bounded = control.waitFor(livestreamId, [0], 5000, never.signal);
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(5000);
    assert.equal(await bounded, 2);
    const aborted = control.waitFor(livestreamId, [0], 5000, never.signal);
    never.abort();
    assert.equal(await aborted, 2);
  });

  it('a run keeps status 2 and the last report while the Device is away', async () => {
    await goOnAir();
    device.goOffline();
    const view = control.status({ id: livestreamId, name: 'x' }, await runRow());
    assert.deepEqual([view.status, view.on_air, view.encodings.length > 0], [2, true, true]);
    assert.equal(control.deviceState(1).online, false);
  });
});
