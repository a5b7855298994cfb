/** Actions that fall due while their Live stream is being started, by whomever. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { PlannedActions } from '../../scheduler/planned-actions.ts';
import type { SchedulerDeps } from '../../scheduler/task.ts';
import { until } from '../helpers/until.ts';
import { addBroadcast } from '../app/broadcast.ts';
import type { Row } from '../app/calls.ts';
import { startScheduleApp, type ScheduleApp } from './schedule-app.ts';
import { silentLog } from '../helpers/silent-log.ts';

const SECOND = 1 / 3600;

let app: ScheduleApp;
let task: PlannedActions;
beforeEach(async () => {
  app = await startScheduleApp();
  await begin();
});
afterEach(async () => {
  task.end();
  await app.close();
});

async function begin(): Promise<void> {
  const { store, clock, control, call } = app;
  const perform: SchedulerDeps['perform'] = (operation, args, { username: _, ...how }) =>
    call(operation, args, { user: 'operator', via: 'schedule', ...how });
  task = new PlannedActions({ store, clock, log: silentLog, control, perform });
  await task.begin();
}

/** At hour 20 and so many seconds. */
const plan = (type: string, payload: object, seconds: number, livestreamId = app.livestreamId): Promise<Row> =>
  app.data('addLivestreamAction', { livestreamId, type, payload, execute_at: app.at(20 + seconds * SECOND) });
const say = (text: string, seconds: number, livestreamId?: number): Promise<Row> =>
  plan('text', { action: 'show', text }, seconds, livestreamId);
const outcomes = async (): Promise<unknown[]> => (await app.rows('getAllPlannedActions')).map(({ status }) => status);
const errorOf = async (actionId: number): Promise<string> =>
  (await app.data('getPlannedAction', { actionId }))['error'] as string;
const allSettled = (): Promise<boolean> => until('all settled', async () => !(await outcomes()).includes('pending'));
const texts = (): unknown[] =>
  app.device.changes.flatMap((change) => (change.type === 'picture' ? (change.picture.text?.text ?? []) : []));
/** Second by second: what waits for others moves in each. */
async function seconds(count: number): Promise<void> {
  const from = (app.clock.now() - Date.parse(app.at(0))) / 3_600_000;
  for (let second = 1; second <= count; second += 1) await app.goTo(from + second * SECOND);
}

describe('the start of a Live stream', () => {
  it('planned actions that fall due while their Live stream starts are carried out once it is on air, in the order of time', async () => {
    await app.plan(20, 21);
    await say('third', 2);
    await say('first', 0);
    await say('second', 0);
    await plan('metadata', { type: 'CueOut', metadata: { duration: 30 } }, 1);
    await app.goTo(20 - SECOND);
    await seconds(6);
    assert.deepEqual(await app.status(), [1, 1]);
    assert.deepEqual(new Set(await outcomes()), new Set(['pending']));
    assert.deepEqual(app.device.changes, []);
    await app.onAir();
    await allSettled();
    assert.deepEqual(new Set(await outcomes()), new Set(['executed']));
    assert.deepEqual(texts(), ['first', 'second', 'third']);
    assert.deepEqual(
      app.device.changes.map(({ type }) => type),
      ['picture', 'picture', 'cue', 'picture'],
      'the cue of second 1 comes before the text of second 2',
    );
  });

  it('the planned actions of other Live streams, and a planned stop, do not wait for a Live stream that starts', async () => {
    const { livestreamId: other } = await addBroadcast(app, ' two');
    await app.data('startLivestream', { livestreamId: other });
    await app.onAir(other);
    await app.plan(20, 21);
    await say('waits', 0);
    await say('elsewhere', 0, other);
    await plan('stop', {}, 3);
    await app.goTo(20 - SECOND);
    await seconds(2);
    assert.deepEqual(texts(), ['elsewhere']);
    await seconds(2);
    await allSettled();
    assert.deepEqual(await outcomes(), ['failed', 'executed', 'executed']);
    assert.match(await errorOf(1), /has status 0 \(stopped\)/u);
  });

  it('a planned action waits for what an earlier action starts', async () => {
    await plan('start', {}, 0);
    await say('opening', 0);
    await say('a moment later', 0.001);
    await app.goTo(20 - SECOND);
    await seconds(2);
    assert.deepEqual(await outcomes(), ['executed', 'pending', 'pending']);
    await app.onAir();
    await allSettled();
    assert.deepEqual(texts(), ['opening', 'a moment later']);
  });

  it('a start that fails takes the planned actions that wait with it, and says why', async () => {
    await app.goTo(20 - 2 * SECOND);
    await app.data('startLivestream', { livestreamId: app.livestreamId });
    await say('one', 0);
    await say('two', 1);
    await seconds(4);
    const { runId } = (await app.run())!;
    app.device.failed(runId, 'The source does not answer.');
    await allSettled();
    assert.deepEqual(await outcomes(), ['failed', 'failed']);
    for (const id of [1, 2]) assert.match(await errorOf(id), /has status 3 \(failed\).*The source does not answer\./u);
  });

  it('a start that hangs is waited for as long as it may take', async () => {
    await app.goTo(20 - 2 * SECOND);
    await app.data('startLivestream', { livestreamId: app.livestreamId });
    await say('one', 0);
    await seconds(32);
    await allSettled();
    assert.match(await errorOf(1), /No media evidence within 30 s/u);
  });
});

describe('a start that comes late', () => {
  it('after an outage late actions wait for a late start, and actions that fall due meanwhile come after them', async () => {
    await app.plan(20, 21);
    await say('missed', 0);
    await say('missed too', 5);
    await say('meanwhile', 12);
    app.down();
    task.end();
    await app.goTo(20 + 10 * SECOND);
    await begin();
    app.clock.advance(0);
    await app.settled();
    await app.up();
    await seconds(3);
    assert.deepEqual(await outcomes(), ['pending', 'pending', 'pending']);
    await app.onAir();
    await seconds(1);
    await allSettled();
    assert.deepEqual(texts(), ['missed', 'missed too', 'meanwhile']);
  });

  it('planned actions wait for a start on a Device that is away, and fail with its reason when it never comes', async () => {
    await app.plan(20, 20.5);
    await app.plan(21, 22);
    await say('comes', 0);
    await app.goTo(20 - 10 * SECOND);
    app.device.goOffline();
    await app.settled();
    await seconds(13);
    assert.deepEqual(await outcomes(), ['pending']);
    app.device.goOnline();
    await app.settled();
    await seconds(5);
    await app.onAir();
    await seconds(1);
    await allSettled();
    assert.deepEqual(texts(), ['comes']);
    await app.goTo(21 - 10 * SECOND);
    app.device.goOffline();
    await app.settled();
    await say('never', 3600);
    await seconds(45);
    await allSettled();
    assert.deepEqual(await outcomes(), ['executed', 'failed']);
    const { reasons } = (await app.firings(2))[0]!;
    assert.ok((await errorOf(2)).endsWith(reasons[0]!), `${await errorOf(2)} | ${reasons.join()}`);
  });

  it('a start that comes after its stop is waited for', async () => {
    await app.data('startLivestream', { livestreamId: app.livestreamId });
    await app.onAir();
    await app.goTo(20 - SECOND);
    const release = app.device.holdStops();
    await plan('stop', {}, 0);
    await plan('start', {}, 1);
    await seconds(4);
    assert.deepEqual(await outcomes(), ['executed', 'pending']);
    release();
    await seconds(2);
    await allSettled();
    assert.deepEqual([await outcomes(), (await app.status())[0]], [['executed', 'executed'], 1]);
  });
});

it('a planned action whose service ends while it waits is carried out by the next service', async () => {
  await app.data('startLivestream', { livestreamId: app.livestreamId });
  await app.goTo(1 * SECOND);
  await app.data('addLivestreamAction', {
    livestreamId: app.livestreamId,
    type: 'text',
    payload: { action: 'show', text: 'kept' },
    execute_at: app.at(2 * SECOND),
  });
  await seconds(3);
  task.end();
  await app.onAir();
  await app.settled();
  assert.deepEqual([await outcomes(), texts()], [['pending'], []]);
  await begin();
  app.clock.advance(0);
  await allSettled();
  assert.deepEqual(texts(), ['kept']);
});
