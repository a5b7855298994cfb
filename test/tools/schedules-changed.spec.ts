/** The effect of a Schedule's change on its skips and past occurrences, and the refusal of impossible values. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { toProblem } from '../../domain/base/errors.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { type Row, fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { atHour } from '../helpers/fake-clock.ts';

const HOUR_MS = 3_600_000;

describe('a Schedule that is changed', () => {
  let app: TestApp;
  let livestreamId: number;
  beforeEach(async () => {
    app = await startTestApp();
    ({ livestreamId } = await addBroadcast(app));
  });
  afterEach(() => app.close());

  const add = (more: object = {}): Promise<Row> =>
    app.data('addSchedule', { name: 'Plan', livestreamId, start: atHour(20), end: atHour(21), ...more });
  const skip = (scheduleId: number, hours: number): Promise<Row> =>
    app.data('skipOccurrence', { scheduleId, occurrence_start: atHour(hours) });
  const skips = async (scheduleId: number): Promise<unknown[]> =>
    (await app.rows('listScheduleSkips', { scheduleId })).map((row) => row['occurrence_start']);
  const states = async (scheduleId: number, to = atHour(96)): Promise<string[]> =>
    (await app.rows('getScheduleOccurrences', { scheduleId, to })).map((row) => `${row['start']} ${row['state']}`);

  it('a Schedule that is moved takes its skips along to the same day', async () => {
    const { id: scheduleId } = await add({ recurrence: { type: 'daily' } });
    const { skipId } = await skip(scheduleId, 44);
    await app.data('updateSchedule', { scheduleId, start: atHour(22), end: atHour(22.5) });
    const planned = [
      `${atHour(22)} planned`,
      `${atHour(46)} skipped`,
      `${atHour(70)} planned`,
      `${atHour(94)} planned`,
    ];
    assert.deepEqual(await states(scheduleId), planned);
    const [kept] = await app.rows('listScheduleSkips', { scheduleId });
    assert.deepEqual(kept, { skipId, occurrence_start: atHour(46), created_by: 'admin' });
    // By the clock of Tokyo the day of that instant is the next one; it is the same occurrence still.
    await app.data('updateSchedule', { scheduleId, timezone: 'Asia/Tokyo' });
    assert.deepEqual(await skips(scheduleId), [atHour(46)]);
    await app.data('restoreSkip', { scheduleId, skipId });
    assert.deepEqual(await states(scheduleId, atHour(48)), [`${atHour(22)} planned`, `${atHour(46)} planned`]);
  });

  it('a changed Schedule loses a skip of a day that it has no more, and keeps skips of the past and after its end', async () => {
    const { id: scheduleId } = await add({ recurrence: { type: 'daily' } });
    // Thursday, Friday, Saturday, Monday.
    for (const hours of [20, 44, 68, 116]) await skip(scheduleId, hours);
    app.clock.advance(24 * HOUR_MS);
    await app.data('patchScheduleUntil', { scheduleId, until: atHour(100) });
    await app.data('updateSchedule', { scheduleId, recurrence: { type: 'workdays' } });
    assert.deepEqual(await skips(scheduleId), [atHour(20), atHour(44), atHour(116)]);
    await app.data('updateSchedule', { scheduleId, recurrence: { until: null } });
    assert.deepEqual((await states(scheduleId, atHour(120))).at(-1), `${atHour(116)} skipped`);
  });

  it('a Schedule moved to another zone takes its skips along, by the days of its clock', async () => {
    const { id: scheduleId } = await add({ recurrence: { type: 'daily' } });
    for (const hours of [44, 68]) await skip(scheduleId, hours);
    const auckland = { timezone: 'Pacific/Auckland', start: atHour(11.5), end: atHour(12) };
    await app.data('updateSchedule', { scheduleId, ...auckland });
    // Half past midnight there, of the second and of the third of January.
    assert.deepEqual(await skips(scheduleId), [atHour(11.5), atHour(35.5)]);
  });

  it('a skip whose time is over is not restored, and the refusal asks for no state that cannot come', async () => {
    const { id: scheduleId } = await add({ recurrence: { type: 'daily' } });
    const { skipId } = await app.data('skipOccurrence', { scheduleId, occurrence_start: atHour(44) });
    app.clock.advance(60 * 3_600_000);
    const late = await app.refused('wrong_state', 'restoreSkip', { scheduleId, skipId });
    assert.equal(toProblem(late, 'r').remedy, 'Its time is over: plan a new Schedule instead.');
  });

  it('skips of a Schedule carry a version, and a restore that expects another one is refused', async () => {
    const { id: scheduleId } = await add({ recurrence: { type: 'daily' } });
    const { body, etag } = await app.call('skipOccurrence', { scheduleId, occurrence_start: atHour(44) });
    const { skipId } = (body as { data: { skipId: number } }).data;
    const one = { scheduleId, skipId };
    await app.data('updateSchedule', { scheduleId, start: atHour(19) });
    await app.refused('version_mismatch', 'restoreSkip', one, { ifMatch: etag });
    await app.data('restoreSkip', one, { ifMatch: '"2"' });
    const gone = await app.refused('not_found', 'restoreSkip', one);
    const who = `Schedule ${scheduleId} "Plan"`;
    assert.equal(gone.message, `${who} has no skip ${skipId}; listScheduleSkips tells those it has.`);
  });

  it('a Schedule for once that is over is not revived by another end or by being enabled', async () => {
    const { id: scheduleId } = await add({ enabled: false });
    app.clock.advance(24 * HOUR_MS);
    for (const change of [{ end: atHour(30) }, { enabled: true }, { enabled: true, end: atHour(30) }]) {
      const error = await app.refused('rule_violated', 'updateSchedule', { scheduleId, ...change });
      assert.match(error.message, /is over; send a start that is to come with it, or make a new Schedule/u);
      assert.deepEqual(fieldsOf(error), ['start']);
    }
    await app.data('updateSchedule', { scheduleId, name: 'Kept', description: 'For the archive' });
    await app.data('updateSchedule', { scheduleId, enabled: false });
    await app.data('updateSchedule', { scheduleId, start: atHour(30), end: atHour(31), enabled: true });
    assert.deepEqual(await states(scheduleId), [`${atHour(30)} planned`]);
  });

  it('a Schedule of a series that is over is not made one for once', async () => {
    const { id: scheduleId } = await add({ recurrence: { type: 'daily' } });
    app.clock.advance(72 * HOUR_MS);
    await app.refused('rule_violated', 'updateSchedule', { scheduleId, recurrence: { type: 'none' } });
  });

  it('a Schedule may end from an instant that has just passed', async () => {
    const { id: scheduleId } = await add({ recurrence: { type: 'daily' } });
    app.clock.advance(50 * HOUR_MS);
    const ended = await app.data('patchScheduleUntil', { scheduleId, until: atHour(50 - 9 / 60) });
    assert.equal((ended['recurrence'] as Row)['until'], atHour(50));
    await app.refused('rule_violated', 'patchScheduleUntil', { scheduleId, until: atHour(50 - 11 / 60) });
  });

  it('a Schedule for once, stored with an until by an earlier version, is due as ever, and loses it when changed', async () => {
    const { id: scheduleId } = await add();
    await app.store.tx((tx) => {
      const row = tx.get('schedules', scheduleId)!;
      tx.put('schedules', { ...row, recurrence: { ...row.recurrence, until: atHour(2) } });
    });
    assert.deepEqual(await states(scheduleId), [`${atHour(20)} planned`]);
    const changed = await app.data('updateSchedule', { scheduleId, end: atHour(22) });
    assert.deepEqual(changed['recurrence'], { type: 'none', interval: 1, until: null });
  });

  it('a Schedule has a description of 255 characters at most', async () => {
    const { id: scheduleId } = await add({ description: 'Every evening' });
    const row = await app.data('getScheduleById', { scheduleId });
    assert.equal(row['description'], 'Every evening');
    const cleared = await app.data('updateSchedule', { scheduleId, description: null });
    assert.equal(cleared['description'], null);
    const long = { scheduleId, description: 'x'.repeat(256) };
    assert.deepEqual(fieldsOf(await app.refused('invalid_input', 'updateSchedule', long)), ['description']);
  });

  it('a Schedule that was stored without a description is answered with none', async () => {
    const { id: scheduleId } = await add();
    await app.store.tx((tx) => {
      const { description: _none, ...older } = tx.get('schedules', scheduleId)!;
      tx.put('schedules', older as never);
    });
    assert.equal((await app.data('getScheduleById', { scheduleId }))['description'], null);
    assert.deepEqual(await app.ids('getAllSchedules'), [scheduleId]);
  });

  it('the occurrences of a series end with the year 9999', async () => {
    const { id: scheduleId } = await add({ recurrence: { type: 'daily' } });
    const from = '9999-12-30T00:00:00Z';
    const rows = await app.rows('getScheduleOccurrences', { scheduleId, from });
    assert.deepEqual(
      rows.map((row) => row['start']),
      ['9999-12-30T20:00:00.000Z', '9999-12-31T20:00:00.000Z'],
    );
    await add({
      name: 'Last',
      start: '9999-12-31T22:00:00Z',
      end: '9999-12-31T23:00:00Z',
      recurrence: { type: 'daily' },
    });
  });

  it('a refused Schedule gets a message that says what to do', async () => {
    const messagesOf = async (more: object): Promise<string> =>
      (
        await app.refused('rule_violated', 'addSchedule', {
          name: 'Other',
          livestreamId,
          start: atHour(20),
          end: atHour(21),
          ...more,
        })
      ).message;
    assert.match(
      await messagesOf({ end: atHour(45), recurrence: { type: 'daily' } }),
      /longer than a day, after which the next one begins \(daily\)/u,
    );
    // From Saturday to Sunday.
    const saturday = { start: atHour(68), end: atHour(69) };
    assert.match(
      await messagesOf({ ...saturday, recurrence: { type: 'workdays', until: atHour(80) } }),
      /no day of recurrence type workdays \(Monday to Friday\) in UTC; the first one is/u,
    );
    await add();
    const held = await app.refused('in_use', 'deleteLivestream', { livestreamId });
    assert.match(held.message, /Schedule 1 "Plan"\. Delete what is planned with deleteSchedule first/u);
  });
});
