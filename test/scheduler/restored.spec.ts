/** The scheduler beside a store that went back: nothing older than that begins or ends before a person has looked. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PlannedActions } from '../../scheduler/planned-actions.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { goBack } from '../helpers/went-back.ts';
import { silentLog } from '../helpers/silent-log.ts';
import { until } from '../helpers/until.ts';
import { startScheduleApp } from './schedule-app.ts';

describe('the scheduler beside a restored store', () => {
  it('nothing older falls due before acknowledgeRestore, what fell due is not made up for, and all goes on from then', async (t) => {
    const app = await startScheduleApp();
    t.after(() => app.close());
    const other = (await addBroadcast(app, ' B')).livestreamId;
    const third = (await addBroadcast(app, ' C')).livestreamId;
    // On air with a Schedule when the store was copied, and over before anybody looks.
    const running = await app.plan(0.1, 1, { livestreamId: other });
    await app.goTo(0.1);
    await app.onAir(other);
    const [missed, late, next] = [await app.plan(1, 2), await app.plan(3, 5), await app.plan(6, 7)];
    const taken = await app.plan(3, 4.5, { livestreamId: third });
    const at = (hours: number): object => ({
      livestreamId: other,
      type: 'stop',
      payload: {},
      execute_at: app.at(hours),
    });
    const [past, ahead] = [await app.data('addLivestreamAction', at(2)), await app.data('addLivestreamAction', at(8))];
    const actions = new PlannedActions({
      ...app,
      log: silentLog,
      perform: (operation, args, { username: _, ...how }) =>
        app.call(operation, args, { user: 'operator', via: 'schedule', ...how }),
    });
    await actions.begin();
    t.after(() => actions.end());

    assert.equal((await goBack(app.store))?.waiting, true);
    await app.goTo(0.3);
    const newer = await app.plan(2.2, 2.6);
    await app.goTo(2.1);
    assert.deepEqual(
      [await app.status(), await app.status(other)],
      [
        [0, null],
        [2, running['id']],
      ],
    );
    await app.goTo(2.2);
    assert.deepEqual(await app.status(), [1, newer['id']], 'what a person plans meanwhile is done');
    await app.onAir();
    await app.goTo(4);
    assert.deepEqual(
      [await app.status(), await app.status(third)],
      [
        [0, null],
        [0, null],
      ],
    );
    // A person puts one of them on air by hand.
    await app.data('startLivestream', { livestreamId: third });
    await app.onAir(third);

    const { data } = (await app.call('acknowledgeRestore', {})).body as { data: Record<string, unknown> };
    assert.deepEqual(data, { failed_actions: 1, closed_occurrences: 1 });
    assert.equal((await app.data('getRestore', {}))['waiting'], false);
    await until('the late one is left', async () => (await app.firings(late['id'] as number)).length === 1);
    await app.settled();
    assert.deepEqual(
      [await app.status(), await app.status(other)],
      [
        [0, null],
        [2, running['id']],
      ],
    );
    assert.deepEqual(await app.status(third), [2, taken['id']], 'what is on air anyway belongs to its Schedule');
    assert.deepEqual(
      (await app.events('schedule_missed')).map(({ message }) => /"(.*?)"/u.exec(message)?.[1]),
      [missed['name'], late['name']],
    );
    const { status, error } = await app.data('getPlannedAction', { actionId: past['id'] });
    assert.deepEqual([status, /restored store/u.test(String(error))], ['failed', true]);

    await app.goTo(4.6);
    assert.deepEqual(await app.status(third), [0, null]);
    await app.goTo(6);
    assert.deepEqual(await app.status(), [1, next['id']]);
    await app.goTo(8);
    await until('the action ahead is done', async () => {
      app.clock.advance(0);
      return (await app.data('getPlannedAction', { actionId: ahead['id'] }))['status'] === 'executed';
    });
    assert.equal((await app.call('acknowledgeRestore', {})).status, 200, 'once more changes nothing');
  });
});
