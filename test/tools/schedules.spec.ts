import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { addBroadcast } from '../app/broadcast.ts';
import { type Row, fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { atHour } from '../helpers/fake-clock.ts';

const HOUR_MS = 3_600_000;

describe('Schedules', () => {
  let app: TestApp;
  let livestreamId: number;
  beforeEach(async () => {
    app = await startTestApp();
    ({ livestreamId } = await addBroadcast(app));
  });
  afterEach(() => app.close());

  let names = 0;
  const body = (more: object = {}): object => {
    names += 1;
    return { name: `Plan ${names}`, livestreamId, start: atHour(20), end: atHour(21), ...more };
  };
  const add = (more: object = {}): Promise<Row> => app.data('addSchedule', body(more), { user: 'operator' });
  const refusedFields = async (more: object): Promise<string[]> =>
    fieldsOf(await app.refused('rule_violated', 'addSchedule', body(more)));
  const occurrences = (more: object = {}): Promise<Row[]> => app.rows('getScheduleOccurrences', more);
  const starts = async (more: object = {}): Promise<unknown[]> => (await occurrences(more)).map((row) => row['start']);

  it('Schedules are created complete, read, listed by what they are of, changed and deleted', async () => {
    const made = await add({ start: '2026-01-01T20:00:00Z' });
    const { id, name: _name, created_at, updated_at, ...rest } = made;
    assert.deepEqual(rest, {
      livestreamId,
      start: atHour(20),
      end: atHour(21),
      idEncoderGroup: null,
      description: null,
      recurrence: { type: 'none', interval: 1, until: null },
      enabled: true,
      timezone: 'UTC',
      created_by: 'operator',
    });
    assert.equal(created_at, updated_at);
    assert.deepEqual(await app.data('getScheduleById', { scheduleId: id }), made);
    const daily = await add({ start: atHour(22), end: atHour(23), recurrence: { type: 'daily' }, enabled: false });
    assert.deepEqual(await app.ids('getAllSchedules', { livestreamId }), [id, daily.id]);
    assert.deepEqual(await app.ids('getAllSchedules', { enabled: false }), [daily.id]);
    assert.deepEqual(await app.ids('getAllSchedules', { livestreamId: 99 }), []);
    const changed = await app.data('updateSchedule', {
      scheduleId: id,
      end: atHour(21.5),
      recurrence: { type: 'weekly' },
    });
    assert.deepEqual(
      [changed['end'], changed['recurrence']],
      [atHour(21.5), { type: 'weekly', interval: 1, until: null }],
    );
    assert.deepEqual(await app.data('deleteSchedule', { scheduleId: id }), { id, deleted: true });
    await app.refused('not_found', 'getScheduleById', { scheduleId: id });
    await app.refused('not_found', 'deleteSchedule', { scheduleId: id });
  });

  it('Schedules refuse times that make no broadcast', async () => {
    assert.deepEqual(await refusedFields({ end: atHour(20) }), ['end']);
    assert.deepEqual(await refusedFields({ end: atHour(19) }), ['end']);
    assert.deepEqual(await refusedFields({ end: atHour(45), recurrence: { type: 'daily' } }), ['end']);
    assert.deepEqual(await refusedFields({ end: atHour(45), recurrence: { type: 'workdays' } }), ['end']);
    assert.deepEqual(await refusedFields({ end: atHour(20 + 7 * 24 + 1), recurrence: { type: 'weekly' } }), ['end']);
    assert.deepEqual(await refusedFields({ recurrence: { type: 'daily', until: atHour(20) } }), ['recurrence.until']);
    // Once has neither a distance nor an end of its series.
    const fields = ['recurrence.interval', 'recurrence.until'];
    assert.deepEqual(await refusedFields({ recurrence: { type: 'none', interval: 2, until: atHour(60) } }), fields);
    await add({ end: atHour(44), recurrence: { type: 'daily', interval: 1 } });
  });

  it('Schedules refuse a start on a day that the rule does not name', async () => {
    const on = (hours: number, type: string, timezone = 'UTC'): object => ({
      start: atHour(hours),
      end: atHour(hours + 1),
      recurrence: { type },
      timezone,
    });
    // The first of January 2026 is a Thursday.
    for (const hours of [20, 116]) assert.deepEqual(await refusedFields(on(hours, 'weekend')), ['start']);
    assert.deepEqual(await refusedFields(on(68, 'workdays')), ['start']);
    const error = await app.refused('rule_violated', 'addSchedule', body(on(20, 'weekend')));
    assert.match(error.message, /no day of recurrence type weekend .* in UTC; the first one is 2026-01-03T20:00/u);
    // It is Saturday in Auckland when it is Friday evening in Greenwich.
    const { id: scheduleId } = await add(on(44, 'weekend', 'Pacific/Auckland'));
    const moved = await app.refused('rule_violated', 'updateSchedule', { scheduleId, timezone: 'UTC' });
    assert.deepEqual(fieldsOf(moved), ['start']);
    await app.data('updateSchedule', { scheduleId, description: 'no matter of its days' });
  });

  it('Schedules leave the distance and the end of a series behind when they are to happen once', async () => {
    const { id: scheduleId } = await add({ recurrence: { type: 'weekly', interval: 2, until: atHour(500) } });
    const once = await app.data('updateSchedule', { scheduleId, recurrence: { type: 'none' } });
    assert.deepEqual(once['recurrence'], { type: 'none', interval: 1, until: null });
    const sent = { scheduleId, recurrence: { interval: 3 } };
    assert.deepEqual(fieldsOf(await app.refused('rule_violated', 'updateSchedule', sent)), ['recurrence.interval']);
  });

  it('a Schedule is planned, moved and skipped by the clock of its zone, and refusals speak of it', async () => {
    const timezone = 'Europe/Zurich';
    const nightly = { timezone, recurrence: { type: 'daily', until: '2026-01-05T00:00:00' } };
    const [start_at, end_at] = ['2026-01-01T20:00:00', '2026-01-01T21:00:00+01:00'];
    const made = await add({ start: undefined, end: undefined, start_at, end_at, ...nightly });
    assert.deepEqual([made['start'], made['end']], [atHour(19), atHour(20)]);
    assert.deepEqual(made['recurrence'], { type: 'daily', interval: 1, until: '2026-01-04T23:00:00.000Z' });
    const scheduleId = made.id;
    await app.data('updateSchedule', { scheduleId, end_at: '2026-01-01T22:00' });
    await app.data('skipOccurrence', { scheduleId, occurrence_start: '2026-01-02t20:00:00+01:00' });
    const [first, skipped] = await occurrences({ scheduleId, to: '2026-01-03T00:00:00' });
    assert.deepEqual([first!['end'], skipped!['state']], [atHour(21), 'skipped']);
    assert.deepEqual([first!['start_local'], first!['timezone']], ['2026-01-01T20:00:00+01:00', timezone]);
    const over = { timezone, start: '2026-01-01T21:30:00', end: '2026-01-01T22:30:00' };
    const { message } = await app.refused('conflict', 'addSchedule', body(over));
    assert.match(message, /from 2026-01-01T20:00:00\+01:00 to .*overlaps 2026-01-01T21:30:00\+01:00 to/u);
    const none = await app.refused('rule_violated', 'skipOccurrence', { scheduleId, occurrence_start: atHour(45) });
    assert.match(none.message, /no occurrence begins at 2026-01-02T21:00:00.000Z/u, 'UTC to whoever writes UTC');
    assert.deepEqual(fieldsOf(await app.refused('invalid_input', 'addSchedule', body({ start_at }))), ['start']);
    const bare = body({ start: undefined, end: undefined });
    assert.deepEqual(fieldsOf(await app.refused('invalid_input', 'addSchedule', bare)), ['start', 'end']);
  });

  it('a whole day is a valid period of a Schedule, also where the clock is changed', async () => {
    const start = '2026-03-28T12:00:00Z';
    const zone = { timezone: 'Europe/Zurich', recurrence: { type: 'daily' } };
    // 23 hours by the sun are a whole day by this clock; 24 are one hour more.
    await add({ start, end: '2026-03-29T11:00:00Z', ...zone });
    assert.deepEqual(await refusedFields({ start, end: '2026-03-29T12:00:00Z', ...zone, enabled: false }), ['end']);
  });

  it('the start of a Schedule may be ten minutes past and no more', async () => {
    app.clock.advance(20 * HOUR_MS + 600_000);
    const late = await app.refused('invalid_input', 'addSchedule', body({ start: atHour(20 - 1 / 3600) }));
    assert.deepEqual(fieldsOf(late), ['start']);
    assert.match(late.message, /more than 10 minutes past; it is 2026-01-01T20:10:00.000Z now/u);
    const { id } = await add();
    app.clock.advance(3 * HOUR_MS);
    // What was planned in time stays as it is when something else is changed.
    await app.data('updateSchedule', { scheduleId: id, name: 'Kept', start: atHour(20) });
    await app.refused('invalid_input', 'updateSchedule', { scheduleId: id, start: atHour(19) });
    assert.deepEqual(await refusedFields({ start: atHour(23.1), end: atHour(23.15) }), ['end']);
  });

  it('Schedules refuse what does not exist, and zones that are none', async () => {
    const named = await refusedFields({ livestreamId: 99, idEncoderGroup: 99 });
    assert.deepEqual(named, ['livestreamId', 'idEncoderGroup']);
    for (const timezone of ['Mars/Olympus', '+01:00', ''])
      assert.deepEqual(fieldsOf(await app.refused('invalid_input', 'addSchedule', body({ timezone }))), ['timezone']);
    await app.refused('invalid_input', 'addSchedule', body({ recurrence: { type: 'hourly' } }));
  });

  it('two enabled Schedules of a Live stream never overlap, and the refusal names the other', async () => {
    const first = await add({ name: 'Nightly', recurrence: { type: 'daily' } });
    const error = await app.refused(
      'conflict',
      'addSchedule',
      body({ start: atHour(20 + 72.5), end: atHour(24 + 72) }),
    );
    assert.match(error.message, /Schedule \d+ "Nightly".*2026-01-04T20:00:00.000Z to 2026-01-04T21:00:00.000Z/u);
    assert.deepEqual(error.extras.facts, {
      field: 'start',
      id: first.id,
      name: 'Nightly',
      occurrence: { start: atHour(92.5), end: atHour(96) },
      other_occurrence: { start: atHour(92), end: atHour(93) },
    });
    const paused = await add({ start: atHour(92.5), end: atHour(96), enabled: false });
    await app.refused('conflict', 'updateSchedule', { scheduleId: paused.id, enabled: true });
    // Back to back is no overlap; nor is another Live stream, or one that is left out.
    await add({ start: atHour(21), end: atHour(22) });
    const { livestreamId: other } = await addBroadcast(app, ' 2');
    await add({ livestreamId: other });
    const skip = await app.data('skipOccurrence', { scheduleId: first.id, occurrence_start: atHour(92) });
    await app.data('updateSchedule', { scheduleId: paused.id, enabled: true });
    await app.refused('conflict', 'restoreSkip', { scheduleId: first.id, skipId: skip['skipId'] });
    await app.data('updateSchedule', { scheduleId: paused.id, enabled: false });
    await app.data('restoreSkip', { scheduleId: first.id, skipId: skip['skipId'] });
  });

  it('what a Schedule names is in use', async () => {
    const group = await app.data('createDeviceGroup', { name: 'Rack', devices: [app.deviceId] });
    const { id } = await add({ name: 'Late', idEncoderGroup: group.id });
    const held = await app.refused('in_use', 'deleteLivestream', { livestreamId });
    assert.deepEqual(held.extras.facts, { users: [{ resource: 'Schedule', id, name: 'Late' }] });
    await app.refused('in_use', 'deleteDeviceGroup', { groupId: group.id });
    await app.data('deleteSchedule', { scheduleId: id });
    await app.data('deleteDeviceGroup', { groupId: group.id });
    await app.data('deleteLivestream', { livestreamId });
  });

  it('occurrences of a Schedule are listed over a window, those that touch it, in pages', async () => {
    const { id: scheduleId } = await add({ name: 'Nightly', recurrence: { type: 'daily' } });
    const { livestreamId: other } = await addBroadcast(app, ' 2');
    const once = await add({ livestreamId: other, start: atHour(20), end: atHour(200) });
    assert.deepEqual(await occurrences({ scheduleId: once.id }), [
      {
        scheduleId: once.id,
        livestreamId: other,
        start: atHour(20),
        end: atHour(200),
        start_local: '2026-01-01T20:00:00Z',
        end_local: '2026-01-09T08:00:00Z',
        timezone: 'UTC',
        state: 'planned',
      },
    ]);
    assert.equal((await occurrences({ livestreamId })).length, 7);
    // One that has begun before the window is on within it.
    assert.deepEqual(await starts({ scheduleId, from: atHour(44.5), to: atHour(69) }), [atHour(44), atHour(68)]);
    assert.deepEqual(await starts({ scheduleId, from: atHour(45), to: atHour(68) }), []);
    assert.deepEqual(await starts({ search: 'night', to: atHour(48) }), [atHour(20), atHour(44)]);
    const page = (await app.call('getScheduleOccurrences', { livestreamId, page: 3, pageSize: 3, sort: '-start' }))
      .body;
    assert.deepEqual((page as { pagination: object }).pagination, { page: 3, pageSize: 3, total: 7, totalPages: 3 });
    assert.deepEqual(
      (page as { rows: Row[] }).rows.map((row) => row['start']),
      [atHour(20)],
    );
    for (const window of [{ to: atHour(-1) }, { from: atHour(5), to: atHour(5) }, { to: atHour(400 * 24) }])
      assert.deepEqual(fieldsOf(await app.refused('invalid_input', 'getScheduleOccurrences', window)), ['to']);
    await app.refused('invalid_input', 'getScheduleOccurrences', { sort: 'name' });
  });

  it('a paused Schedule has nothing planned, and is back when it is resumed', async () => {
    const { id: scheduleId } = await add({ recurrence: { type: 'daily' } });
    await app.data('updateSchedule', { scheduleId, enabled: false });
    assert.deepEqual(await starts({ scheduleId }), []);
    await app.data('updateSchedule', { scheduleId, enabled: true });
    assert.equal((await starts({ scheduleId })).length, 7);
  });

  it('one occurrence of a Schedule is skipped, listed and restored', async () => {
    const { id: scheduleId } = await add({ recurrence: { type: 'daily' } });
    const skip = await app.data('skipOccurrence', { scheduleId, occurrence_start: '2026-01-02T20:00:00Z' });
    assert.deepEqual(skip, { skipId: 1, occurrence_start: atHour(44), created_by: 'admin' });
    assert.deepEqual(await app.rows('listScheduleSkips', { scheduleId }), [skip]);
    const states = (await occurrences({ scheduleId, to: atHour(72) })).map(({ start, state }) => [start, state]);
    assert.deepEqual(states, [
      [atHour(20), 'planned'],
      [atHour(44), 'skipped'],
      [atHour(68), 'planned'],
    ]);
    const again = await app.refused('conflict', 'skipOccurrence', { scheduleId, occurrence_start: atHour(44) });
    assert.match(again.message, /skipped already, by skip 1/u);
    const none = await app.refused('rule_violated', 'skipOccurrence', { scheduleId, occurrence_start: atHour(45) });
    assert.match(none.message, /The next one begins at 2026-01-03T20:00:00.000Z/u);
    assert.deepEqual(await app.data('restoreSkip', { scheduleId, skipId: 1 }), { id: 1, deleted: true });
    assert.deepEqual(await app.rows('listScheduleSkips', { scheduleId }), []);
    await app.refused('not_found', 'restoreSkip', { scheduleId, skipId: 1 });
    await app.refused('not_found', 'listScheduleSkips', { scheduleId: 99 });
  });

  it('only a recurring Schedule has occurrences to skip, and none that is over is skipped or restored', async () => {
    const once = await add();
    await app.refused('rule_violated', 'skipOccurrence', { scheduleId: once.id, occurrence_start: atHour(20) });
    const { id: scheduleId } = await add({ start: atHour(22), end: atHour(23), recurrence: { type: 'daily' } });
    const skip = await app.data('skipOccurrence', { scheduleId, occurrence_start: atHour(22) });
    const other = await add({ start: atHour(10), end: atHour(11), recurrence: { type: 'daily' } });
    await app.refused('not_found', 'restoreSkip', { scheduleId: other.id, skipId: skip['skipId'] });
    app.clock.advance(47 * HOUR_MS);
    await app.refused('wrong_state', 'restoreSkip', { scheduleId, skipId: skip['skipId'] });
    await app.refused('wrong_state', 'skipOccurrence', { scheduleId, occurrence_start: atHour(46) });
  });

  it('a series is ended from an instant onward, and its end can be taken away', async () => {
    const { id: scheduleId } = await add({ recurrence: { type: 'daily' } });
    const ended = await app.data('patchScheduleUntil', { scheduleId, until: '2026-01-03T20:00:00Z' });
    assert.deepEqual(ended['recurrence'], { type: 'daily', interval: 1, until: atHour(68) });
    assert.deepEqual(await starts({ scheduleId }), [atHour(20), atHour(44)]);
    const endless = await app.refused('invalid_input', 'patchScheduleUntil', { scheduleId, until: null });
    assert.deepEqual(fieldsOf(endless), ['until']);
    await app.data('updateSchedule', { scheduleId, recurrence: { until: null } });
    assert.equal((await starts({ scheduleId })).length, 7);
    const first = await app.refused('rule_violated', 'patchScheduleUntil', { scheduleId, until: atHour(20) });
    assert.match(first.message, /not after the first start.*deleteSchedule/u);
    app.clock.advance(50 * HOUR_MS);
    const past = await app.refused('rule_violated', 'patchScheduleUntil', { scheduleId, until: atHour(49) });
    assert.match(past.message, /is past, it is 2026-01-03T02:00:00.000Z now/u);
    const once = await add({ start: atHour(100), end: atHour(101), enabled: false });
    await app.refused('rule_violated', 'patchScheduleUntil', { scheduleId: once.id, until: atHour(200) });
  });

  it('a Schedule whose end is taken away must not run into another Schedule', async () => {
    const { id: scheduleId } = await add({ recurrence: { type: 'daily', until: atHour(60) } });
    await add({ start: atHour(92.5), end: atHour(94) });
    await app.refused('conflict', 'updateSchedule', { scheduleId, recurrence: { until: null } });
  });
});
