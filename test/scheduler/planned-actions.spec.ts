import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { AppError } from '../../domain/base/errors.ts';
import type { LivestreamEvent } from '../../domain/shapes/installation/event.ts';
import { PlannedActions } from '../../scheduler/planned-actions.ts';
import type { CallTerms, SchedulerDeps } from '../../scheduler/task.ts';
import { letPass } from '../helpers/pass.ts';
import { until } from '../helpers/until.ts';
import { addBroadcast } from '../app/broadcast.ts';
import type { Row } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { addCamera, goOnAir, type OnAir } from '../app/on-air.ts';
import { silentLog } from '../helpers/silent-log.ts';

let app: TestApp;
let task: PlannedActions | undefined;
let show: OnAir;
beforeEach(async () => {
  app = await startTestApp();
  show = await goOnAir(app);
});
afterEach(async () => {
  task?.end();
  await app.close();
});
const perform: SchedulerDeps['perform'] = (operation, args, { username: _, ...how }) =>
  app.call(operation, args, { user: 'operator', via: 'schedule', ...how });

async function begin(how = perform, store: SchedulerDeps['store'] = app.store): Promise<PlannedActions> {
  task = new PlannedActions({
    store,
    clock: app.clock,
    log: silentLog,
    control: app.control,
    perform: how,
  });
  await task.begin();
  return task;
}

const inSeconds = (seconds: number): string => new Date(app.clock.now() + seconds * 1000).toISOString();
const plan = (type: string, payload: object, seconds = 10, livestreamId = show.livestreamId): Promise<Row> =>
  app.data('addLivestreamAction', { livestreamId, type, payload, execute_at: inSeconds(seconds) });
const say = (text: string, seconds?: number, livestreamId?: number): Promise<Row> =>
  plan('text', { action: 'show', text }, seconds, livestreamId);
const action = (actionId: number): Promise<Row> => app.data('getPlannedAction', { actionId });
const settled = (...ids: number[]): Promise<Row[]> =>
  until(`${ids.join(', ')} settled`, async () => {
    // One that became due before the scheduler had heard of it.
    app.clock.advance(0);
    const rows = await Promise.all(ids.map(action));
    return rows.every(({ status }) => status !== 'pending') && rows;
  });
const events = async (kind: string): Promise<LivestreamEvent[]> =>
  (await app.store.find('events', { where: { kind } })).rows as LivestreamEvent[];
/** A turn of what goes on beside the clock: long enough for a call of the app, when none must come. */
const aWhile = (): Promise<void> => letPass(100);
/** Time passes in steps, with what happens in each. */
async function pass(seconds: number): Promise<void> {
  for (let step = 0; step < seconds; step += 1) {
    app.clock.advance(1000);
    await letPass(2);
  }
}
const texts = (): unknown[] =>
  app.device.changes.flatMap((change) => (change.type === 'picture' ? (change.picture.text?.text ?? []) : []));

describe('planned actions at their instant', () => {
  it('each type of planned action is dispatched at its instant as all calls are, and has an event', async () => {
    const { id: camera } = await addCamera(app, 'second');
    const commands: [string, object, string][] = [
      ['logo', { logo: { filename: 'bug.png' } }, 'runtimeApplyLogo'],
      ['blackout', { mode: 'Black Frame' }, 'runtimeApplyBlackout'],
      ['sourceSwitch', { channelId: camera }, 'runtimeApplySourceSwitch'],
      ['publishings', { publishings: [{ publishingId: show.cdn, primary: false }] }, 'runtimeTogglePublishings'],
      ['metadata', { type: 'CueOut', metadata: { duration: 30 } }, 'runtimePushMetadata'],
      ['adValues', { max_ad_duration: 90 }, 'runtimeSetAdValues'],
      ['text', { action: 'show', text: 'Hello' }, 'setLivestreamText'],
      ['options', { alarms: { black_seconds: 0 } }, 'updateLivestreamOptions'],
      ['record', { action: 'start' }, 'runtimeRecord'],
      ['start', {}, 'startLivestream'],
      ['stop', {}, 'stopLivestream'],
    ];
    await begin();
    for (const [at, [type, payload]] of commands.entries()) await plan(type, payload, 10 + at);
    app.clock.advance(9999);
    await aWhile();
    assert.deepEqual(app.device.changes, [], 'none too early');
    for (const [at, [type]] of commands.entries()) {
      app.clock.advance(at === 0 ? 1 : 1000);
      if (type === 'record') {
        await until('the order to record', () => app.device.changes.at(-1)?.type === 'outputs');
        const { runId } = await show.run();
        app.device.putRecording({ livestreamId: show.livestreamId, runId, publishingId: -1 });
        const facts = { publishingId: -1, file: `${runId}-1.mp4` };
        app.device.emit(runId, 'recording_opened', 'Recording begins.', 'info', facts);
      }
      const [row] = await settled(at + 1);
      assert.deepEqual([row!['status'], row!['error']], ['executed', null], type);
    }
    assert.deepEqual(
      app.device.changes.map(({ type }) => type),
      'picture picture cue source adValues paths picture picture picture options outputs'.split(' '),
      'the cue and the ad values are given ahead, and options bring back the logo and the text of the Live stream',
    );
    await until('the stop', async () => (await show.run()).desired === 'off');
    const audit = await app.store.find('audit', { where: { via: 'schedule' } });
    assert.deepEqual(
      audit.rows.map(({ operation, user, outcome }) => [operation, user, outcome]),
      commands.map(([, , operation]) => [operation, 'operator', 'ok']),
    );
    const [first] = await events('action_executed');
    assert.deepEqual(
      { ...first, id: 0 },
      {
        id: 0,
        at: '2026-01-01T00:00:10.000Z',
        livestreamId: show.livestreamId,
        kind: 'action_executed',
        severity: 'info',
        message: 'Planned action 1 (logo) was carried out.',
        data: { actionId: 1, type: 'logo', execute_at: '2026-01-01T00:00:10.000Z', late_ms: 0 },
      },
    );
    assert.equal((await events('action_executed')).length, commands.length);
  });

  it('a planned action that fails is kept, and its row and an event have the reason', async () => {
    await begin();
    await app.data('stopLivestream', { livestreamId: show.livestreamId });
    await until('off', async () => (await show.run()).status === 0);
    await say('Hello');
    app.clock.advance(10_000);
    const [row] = await settled(1);
    assert.equal(row!['status'], 'failed');
    assert.match(row!['error'] as string, /has status 0 \(stopped\).*Start it first/u);
    const [event] = await events('action_failed');
    assert.deepEqual([event!.severity, event!.data['actionId'], event!.data['code']], ['warning', 1, 'wrong_state']);
    assert.match(event!.message, /^Planned action 1 \(text\) has failed: Live stream 1 "Show" has status 0/u);
    assert.equal((await events('action_executed')).length, 0);
  });

  it('a planned start needs no broadcast, and one that is refused fails', async () => {
    await begin();
    await app.data('stopLivestream', { livestreamId: show.livestreamId });
    await until('off', async () => (await show.run()).status === 0);
    await plan('start', {});
    app.clock.advance(10_000);
    assert.equal((await settled(1))[0]!['status'], 'executed');
    const { id } = await app.data('addLivestream', {
      name: 'Paused',
      enabled: false,
      channelId: show.channelId,
      encodingId: show.encodingId,
      publishingId: show.web,
    });
    await plan('start', {}, 10, id);
    app.clock.advance(10_000);
    const [, refused] = await settled(1, 2);
    assert.match(refused!['error'] as string, /is disabled/u);
  });

  it('a planned action that was moved comes at its new time, and one that was deleted never', async () => {
    await begin();
    await say('moved');
    await say('deleted');
    await say('brought forward', 3600);
    await app.data('updatePlannedAction', { actionId: 1, execute_at: inSeconds(20) });
    await app.data('updatePlannedAction', { actionId: 3, execute_at: inSeconds(5) });
    await app.data('deletePlannedAction', { actionId: 2 });
    app.clock.advance(15_000);
    await settled(3);
    await aWhile();
    assert.deepEqual(texts(), ['brought forward']);
    app.clock.advance(5000);
    await settled(1);
    assert.deepEqual(texts(), ['brought forward', 'moved']);
  });

  it('a disabled planned action is not done; enabled again before its time it is', async () => {
    await begin();
    await say('never');
    await say('again');
    for (const actionId of [1, 2]) await app.data('disablePlannedAction', { actionId });
    app.clock.advance(5000);
    await app.data('enablePlannedAction', { actionId: 2 });
    app.clock.advance(5000);
    await settled(2);
    await aWhile();
    assert.deepEqual(texts(), ['again']);
    assert.equal((await action(1))['status'], 'disabled');
    const late = await app.refused('rule_violated', 'enablePlannedAction', { actionId: 1 });
    assert.match(late.message, /its time 2026-01-01T00:00:10.000Z has passed; plan it anew/u);
  });
});

describe('several planned actions', () => {
  it('a change that the scheduler has not heard of yet counts at the instant', async () => {
    for (const text of ['disabled', 'moved', 'done']) await say(text);
    const deaf = Object.assign(Object.create(app.store) as TestApp['store'], { onChange: () => () => undefined });
    await begin(perform, deaf);
    await app.data('disablePlannedAction', { actionId: 1 });
    await app.data('updatePlannedAction', { actionId: 2, execute_at: inSeconds(20) });
    app.clock.advance(10_000);
    await settled(3);
    assert.deepEqual(texts(), ['done']);
  });

  it('planned actions of one instant come by id; a slow one holds up no other Live stream, nor a later instant', async () => {
    await begin();
    const { livestreamId: off } = await addBroadcast(app, ' two');
    for (const text of ['one', 'two', 'three']) await say(text);
    await plan('logo', { logo: { filename: 'bug.png' } }, 11);
    await say('elsewhere', 10, off);
    const release = app.device.holdChanges();
    app.clock.advance(10_000);
    await settled(5);
    const atDevice = (): number => app.device.calls.filter(({ method }) => method === 'change').length;
    await until('the first at the Device', () => atDevice() === 1);
    app.clock.advance(1000);
    await until('the later one beside it', () => atDevice() === 2);
    await aWhile();
    assert.equal(atDevice(), 2, 'the others of its instant wait');
    release();
    await settled(1, 2, 3, 4);
    assert.deepEqual(texts(), ['one', 'two', 'three']);
  });
});

describe('the cue of a break', () => {
  const cueOut = (seconds?: number): Promise<Row> => plan('metadata', { type: 'CueOut', metadata: { id: 7 } }, seconds);
  const given = (): unknown[] =>
    app.device.changes.map((change) => (change.type === 'cue' ? change.cue.ahead?.inMs : change.type));
  const atEncoder = (count: number): Promise<boolean> =>
    until(`${count} at the encoder`, () => app.device.changes.length === count);

  it('the cue of a break is given ahead, done at its instant, and left alone from then on', async () => {
    await begin();
    await cueOut();
    app.clock.advance(7499);
    await app.data('disablePlannedAction', { actionId: 1 });
    await app.data('enablePlannedAction', { actionId: 1 });
    app.clock.advance(1);
    await atEncoder(1);
    assert.deepEqual(given(), [2500]);
    for (const operation of ['disablePlannedAction', 'deletePlannedAction']) {
      const error = await app.refused('conflict', operation, { actionId: 1 });
      assert.match(error.message, /carried out since 2026-01-01T00:00:07.500Z/u);
    }
    app.clock.advance(2499);
    await aWhile();
    assert.equal((await action(1))['status'], 'pending');
    app.clock.advance(1);
    assert.equal((await settled(1))[0]!['status'], 'executed');
    const [event] = await events('action_executed');
    assert.deepEqual([event!.at, event!.data['late_ms']], ['2026-01-01T00:00:10.000Z', 0]);
  });

  it('the cue of a break comes after the ad values of its instant, and holds up none behind it', async () => {
    await begin();
    await plan('adValues', { next_ad_duration: 20 });
    await cueOut();
    await plan('metadata', { type: 'ScteIn', metadata: { id: 6 } });
    app.clock.advance(7500);
    await atEncoder(3);
    assert.deepEqual(given(), ['adValues', 2500, 2500]);
    app.clock.advance(2500);
    assert.ok(
      (await settled(1, 2, 3)).every(({ status }) => status === 'executed'),
      'all at the instant',
    );
  });

  it('the cue of a break waits for its instant where nothing is on air yet', async () => {
    await begin();
    await app.data('stopLivestream', { livestreamId: show.livestreamId });
    await until('off', async () => (await show.run()).status === 0);
    await cueOut();
    app.clock.advance(7500);
    await aWhile();
    await app.data('startLivestream', { livestreamId: show.livestreamId });
    const { runId } = await show.run();
    await until('the run at the Device', () => app.device.runIds.includes(runId));
    app.device.running(runId);
    await until('on air', async () => (await show.run()).status === 2);
    app.clock.advance(2499);
    await aWhile();
    assert.deepEqual(given(), []);
    app.clock.advance(1);
    assert.equal((await settled(1))[0]!['status'], 'executed');
    assert.deepEqual(given(), [undefined]);
  });

  it('the cue of a break that is refused ahead is asked again up to its instant', async () => {
    await begin();
    app.device.refuseChanges(new AppError('rule_violated', 'Break 6 is open.'));
    await cueOut();
    await cueOut(20);
    app.clock.advance(7500);
    await until('the first try', () => app.device.calls.some(({ method }) => method === 'change'));
    app.device.refuseChanges(undefined);
    await aWhile();
    app.clock.advance(500);
    await atEncoder(1);
    assert.deepEqual(given(), [2000]);
    app.clock.advance(2000);
    assert.equal((await settled(1))[0]!['status'], 'executed');
    app.device.refuseChanges(new AppError('rule_violated', 'Break 7 is open.'));
    for (let step = 0; step < 20; step += 1) {
      assert.equal((await action(2))['status'], 'pending');
      app.clock.advance(500);
      await aWhile();
    }
    const [row] = await settled(2);
    assert.deepEqual([row!['status'], row!['error']], ['failed', 'Break 7 is open.']);
  });
});

describe('planned actions after an outage', () => {
  it('after an outage what is at most a minute late is done in the order of time, before what falls due meanwhile; the rest fails', async () => {
    for (const [text, seconds] of [
      ['third', 50],
      ['first', 10],
      ['lapsed', 9],
      ['second', 30],
      ['in time', 71],
    ] as const)
      await say(text, seconds);
    app.clock.advance(70_000);
    const release = app.device.holdChanges();
    await begin();
    app.clock.advance(0);
    await until('the first at the Device', () => app.device.calls.some(({ method }) => method === 'change'));
    app.clock.advance(1000);
    await aWhile();
    release();
    const rows = await settled(1, 2, 3, 4);
    await settled(5);
    assert.deepEqual(texts(), ['first', 'second', 'third', 'in time']);
    assert.deepEqual(
      rows.map(({ status }) => status),
      ['executed', 'executed', 'failed', 'executed'],
    );
    assert.match(rows[2]!['error'] as string, /able to 61 s later; what is more than 60 s late is not done/u);
    const [event] = await events('action_failed');
    assert.deepEqual([event!.data['actionId'], event!.data['late_ms']], [3, 61_000]);
  });

  it('after an outage a planned stop is done however late, for the run that it was meant for', async () => {
    await plan('stop', {}, 10);
    app.clock.advance(86_400_000);
    await begin();
    app.clock.advance(0);
    assert.equal((await settled(1))[0]!['status'], 'executed');
    assert.equal((await show.run()).desired, 'off');
  });

  it('a run that began since an outage is not stopped by a planned stop from before', async () => {
    await plan('stop', {}, 10);
    app.clock.advance(20_000);
    await app.data('stopLivestream', { livestreamId: show.livestreamId });
    await until('off', async () => (await show.run()).status === 0);
    await app.data('startLivestream', { livestreamId: show.livestreamId });
    app.clock.advance(100_000);
    await begin();
    app.clock.advance(0);
    assert.equal((await settled(1))[0]!['status'], 'failed');
    assert.equal((await show.run()).desired, 'on');
  });
});

const nothingDue = async (): Promise<boolean> => {
  const where = { status: 'pending', execute_at: { lt: inSeconds(0.001) } };
  return (await app.store.find('plannedActions', { where })).total === 0;
};

describe('planned actions done once', () => {
  /** The first commit of each operation is lost, as by a kill between the encoder's word and the disk. */
  const losing = (after: () => void): SchedulerDeps['perform'] => {
    let lost = false;
    return (operation, args, how) => {
      const alongside: CallTerms['alongside'] = (tx, now) => {
        how.alongside?.(tx, now);
        if (lost) return;
        lost = true;
        after();
        throw new AppError('unavailable', 'The disk is away.');
      };
      return perform(operation, args, { ...how, alongside });
    };
  };

  it('the encoder does a planned action once, when the control plane dies before the commit', async () => {
    const first = await begin(losing(() => first.end()));
    await plan('metadata', { type: 'ID3Tag', metadata: { value: 'goal' } });
    app.clock.advance(10_000);
    await until('the tag at the encoder', () => app.device.changes.length === 1);
    await aWhile();
    assert.equal((await action(1))['status'], 'pending', 'nothing of it is on the disk');
    await begin();
    app.clock.advance(0);
    assert.equal((await settled(1))[0]!['status'], 'executed');
    assert.equal(app.device.changes.length, 1);
    assert.equal((await events('action_executed')).length, 1);
  });

  it('the cue of a break is given once, when the control plane dies before its instant', async () => {
    for (const outageMs of [1000, 5000]) {
      const { id } = await plan('metadata', { type: 'CueOut', metadata: { id: outageMs } });
      const count = app.device.changes.length;
      const first = await begin(losing(() => undefined));
      app.clock.advance(8000);
      await until('the cue at the encoder', () => app.device.changes.length === count + 1);
      first.end();
      app.clock.advance(outageMs);
      await begin();
      await pass(4);
      assert.equal((await settled(id))[0]!['status'], 'executed', `away for ${outageMs} ms`);
      assert.equal(app.device.changes.length, count + 1);
      task!.end();
    }
  });

  it('a planned action asks again an encoder that is away for a moment, and not one that stays away', async () => {
    await begin();
    await say('again');
    app.device.refuseChanges(new AppError('unavailable', 'The encoder is being started again.'));
    app.clock.advance(10_000);
    await until('the first try', () => app.device.calls.some(({ method }) => method === 'change'));
    app.device.refuseChanges(undefined);
    await pass(2);
    assert.equal((await settled(1))[0]!['status'], 'executed');
    app.device.refuseChanges(new AppError('unavailable', 'The encoder is being started again.'));
    await say('given up');
    await pass(30);
    assert.match((await settled(2))[0]!['error'] as string, /being started again/u);
  });

  it('two control planes do a planned action once', async () => {
    const other = new PlannedActions({
      store: app.store,
      clock: app.clock,
      log: silentLog,
      control: app.control,
      perform,
    });
    await other.begin();
    await begin();
    for (let at = 0; at < 10; at += 1) await plan('metadata', { type: 'ID3Tag', metadata: { value: `${at}` } });
    await pass(15);
    const rows = await settled(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    assert.ok(
      rows.every(({ status }) => status === 'executed'),
      JSON.stringify(rows.map(({ status, error }) => [status, error])),
    );
    assert.equal(app.device.changes.length, 10);
    other.end();
  });

  it('200 actions over restarts at any moment are each done once, or have failed for being late', async () => {
    let state = 7;
    const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
    const begunAt = app.clock.now();
    for (let at = 0; at < 200; at += 1)
      await plan('metadata', { type: 'ID3Tag', metadata: { value: `${at + 1}` } }, 1 + random(600));
    const down: [number, number][] = [];
    await begin();
    while (app.clock.now() - begunAt < 700_000) {
      await pass(1 + random(30));
      const outageMs = random(1000) < 400 ? random(100_000) : 0;
      // What a long outage finds half done is too late after it; a short one may come at any moment.
      if (outageMs > 50_000) await until('what is due is done', nothingDue);
      task!.end();
      const from = app.clock.now();
      app.clock.advance(outageMs);
      down.push([from, app.clock.now()]);
      await begin();
      app.clock.advance(0);
    }
    const ids = Array.from({ length: 200 }, (_, at) => at + 1);
    const rows = await settled(...ids);
    const done = app.device.changes.flatMap((change) => (change.type === 'cue' ? Number(change.cue.value) : []));
    assert.equal(new Set(done).size, done.length, 'none twice');
    for (const { id, status, execute_at } of rows as (Row & { status: string; execute_at: string })[]) {
      const atMs = Date.parse(execute_at);
      const isLost = down.some(([from, to]) => atMs > from && atMs < to - 60_000);
      assert.equal(status, isLost ? 'failed' : 'executed', `${id} at ${execute_at}`);
      assert.equal(done.includes(id), !isLost, `${id}`);
    }
    assert.ok(done.length < 195 && done.length > 100, `${done.length} done: both outcomes occur`);
    assert.equal((await events('action_executed')).length + (await events('action_failed')).length, 200);
  });
});
