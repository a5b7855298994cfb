import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { systemClock } from '../../domain/time/clock.ts';
import { startWorkflowApp, type WorkflowApp } from './workflow-app.ts';

let app: WorkflowApp;
beforeEach(async () => {
  app = await startWorkflowApp();
});
afterEach(() => app.close());

const DAY_MS = 86_400_000;
/** So many days ahead, at an hour of the clock in Zurich; without a zone, as people say it. */
const day = (days: number): string => new Date(systemClock.now() + days * DAY_MS).toISOString().slice(0, 10);
const ZURICH = { timezone: 'Europe/Zurich' };
const rows = async (): Promise<readonly { id: number; name: string; start: string; enabled: boolean }[]> =>
  (await app.store.find('schedules', {})).rows;

test('schedule_livestream plans once, by the clock of the zone, under a name that it makes', async () => {
  const times = { start: `${day(3)}T20:00:00`, end: `${day(3)}T21:30:00` };
  const answer = await app.run('schedule_livestream', { livestream: 'show', ...times, ...ZURICH });
  const { scheduleId, changed, conflict, occurrences, name, message } = answer;
  const { start, end } = occurrences[0];
  assert.deepEqual([changed, conflict, answer.livestreamId, occurrences.length], [true, null, app.livestreamId, 1]);
  assert.equal(name, `Show ${day(3)} 20:00`);
  assert.equal(new Date(start).toLocaleTimeString('en-GB', { timeZone: 'Europe/Zurich' }), '20:00:00');
  assert.equal(Date.parse(end) - Date.parse(start), 90 * 60_000);
  assert.match(
    message,
    /^"Show" is to be on air on \w+day \d+ \w+ (?:\d{4} )?at 20:00 until 21:30, by the clock of Europe\/Zurich\.$/u,
  );
  const [row] = await rows();
  assert.deepEqual([row?.id, row?.name, row?.start, row?.enabled], [scheduleId, name, start, true]);
});

test('schedule_livestream plans a series and names the next three; a name that is taken gets a number', async () => {
  const series = (days: number, hour: string): object => ({
    livestream: 'Show',
    start: `${day(days)}T${hour}:00Z`,
    end: `${day(days)}T${hour}:30Z`,
    recurrence: { type: 'daily', until: `${day(days + 5)}T00:00:00Z` },
  });
  const answer = await app.run('schedule_livestream', series(1, '20'));
  assert.equal(answer.name, 'Show daily 20:00');
  const report = answer.occurrences.map((each: { start: string }) => each.start.slice(0, 16));
  assert.deepEqual(
    report,
    [1, 2, 3].map((days) => `${day(days)}T20:00`),
  );
  assert.match(answer.message, /at 20:00 until 20:30, then on .* at 20:00 and on .* at 20:00, by the clock of UTC\.$/u);
  assert.equal((await app.run('schedule_livestream', series(30, '20'))).name, 'Show daily 20:00 (2)');
  assert.equal((await app.run('schedule_livestream', { ...series(60, '20'), name: 'Late' })).name, 'Late');
});

test('schedule_livestream speaks of the year where it is another one', async () => {
  const year = new Date(systemClock.now()).getUTCFullYear() + 1;
  const times = { start: `${year}-06-01T20:00:00Z`, end: `${year}-06-01T21:00:00Z` };
  const { message } = await app.run('schedule_livestream', { livestream: 'Show', ...times });
  assert.match(message, new RegExp(`on \\w+day 1 June ${year} at 20:00 until 21:00`, 'u'));
});

test('schedule_livestream says what is in the way, and changes nothing with dry_run', async () => {
  const times = { livestream: 'Show', start: `${day(2)}T20:00:00Z`, end: `${day(2)}T21:00:00Z` };
  const begunMs = systemClock.now();
  const plan = await app.run('schedule_livestream', { ...times, dry_run: true });
  assert.equal(plan.timezone, app.dispatcher.timezone);
  const instants = [begunMs, Date.parse(plan.server_time), systemClock.now()];
  assert.deepEqual(instants, instants.toSorted(), 'the time of the server lies between question and answer');
  assert.deepEqual([plan.scheduleId, plan.changed, plan.conflict, plan.occurrences.length], [null, false, null, 1]);
  assert.match(plan.message, /^"Show" would be on air on .* Nothing is planned yet\.$/u);
  assert.deepEqual(await rows(), []);
  await app.run('schedule_livestream', { ...times, name: 'Gala' });
  const late = { ...times, start: `${day(2)}T20:30:00Z` };
  const second = await app.run('schedule_livestream', { ...late, dry_run: true });
  assert.match(second.conflict, /Schedule \d+ "Gala"/u);
  assert.match(
    second.message,
    /^"Show" cannot be scheduled then\. Schedule \d+ "Gala" has .*T20:00:00.000Z to .*T21:00:00.000Z/u,
  );
  const refused = await app.refusal('schedule_livestream', late);
  assert.equal(refused.code, 'conflict');
  assert.equal((await rows()).length, 1);
});

test('schedule_livestream refuses times that make no broadcast', async () => {
  const times = { livestream: 'Show', start: `${day(2)}T20:00:00Z`, end: `${day(2)}T19:00:00Z` };
  for (const more of [{}, { dry_run: true }])
    assert.equal((await app.refusal('schedule_livestream', { ...times, ...more })).code, 'rule_violated');
  const past = { livestream: 'Show', start: '2020-01-01T20:00:00', end: '2020-01-01T21:00:00' };
  assert.equal((await app.refusal('schedule_livestream', past)).code, 'invalid_input');
  assert.equal((await app.refusal('schedule_livestream', { ...past, timezone: 'Mars/Olympus' })).code, 'invalid_input');
  assert.equal((await app.refusal('schedule_livestream', { ...past, livestream: 'nothing' })).code, 'not_found');
});
