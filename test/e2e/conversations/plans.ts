/** Conversations about later: what is planned, what of it happens, and what is called off. */
import assert from 'node:assert/strict';
import { until } from '../../helpers/until.ts';
import type { Conversation } from './conversation.ts';
import { lookAt } from './video-changes.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const iso = (ms: number): string => new Date(ms).toISOString();
interface Occurrence {
  scheduleId: number;
  livestreamId: number;
  start: string;
  end: string;
  state: string;
}

const tonightOff: Conversation = {
  title: 'an assistant skips tonight’s occurrence while it is on air: it is asked first, and the series stays',
  calls: 7,
  async run({ prepared, connect, note }) {
    const beginMs = Date.now() + 1000;
    const daily = { livestreamId: prepared.idOf('Late Show'), recurrence: { type: 'daily' } };
    const times = { start: iso(beginMs), end: iso(beginMs + HOUR_MS) };
    await prepared.service.create('/schedules', { name: 'Late Show, every night', ...daily, ...times });
    await until('the Late Show on air', async () => (await prepared.statusOf('Late Show')).status === 2);

    const assistant = await connect('v1', { over: 'http' });
    assistant.hears('Our guest has walked out. Skip tonight of the Late Show, tomorrow as usual.');
    const now = await assistant.uses('get_livestream_status', { livestream: 'the Late Show' });
    const { scheduleId } = now.facts as { scheduleId: number };
    await assistant.finds('skipOccurrence', 'skip tonight');
    await assistant.finds('getScheduleOccurrences', 'what is on tonight');
    const { facts } = await assistant.runs('getScheduleOccurrences', { scheduleId });
    const [tonight] = facts.rows as Occurrence[];
    assert.equal(tonight?.state, 'on_air');
    const refused = await assistant.runs('skipOccurrence', { scheduleId, occurrence_start: tonight!.start });
    note(refused.text);
    assert.equal(refused.facts.code, 'confirmation_required');
    assert.equal((await prepared.statusOf('Late Show')).status, 2, 'nothing has happened yet');

    assistant.hears('Yes, take it off.');
    const skipped = await assistant.corrects(refused);
    assert.ok(!skipped.isError, skipped.text);
    await until('off air', async () => (await prepared.statusOf('Late Show')).status === 0);
    const after = await assistant.runs('getScheduleOccurrences', { scheduleId });
    const states = (after.facts.rows as Occurrence[]).slice(0, 2).map(({ state }) => state);
    assert.deepEqual(states, ['skipped', 'planned']);
    await prepared.service.rest('DELETE', `/schedules/${scheduleId}`);
  },
};

const laterInTheShow: Conversation = {
  title: 'an assistant plans an ad break now and a caption later in the show: both happen, and are told',
  calls: 10,
  async run({ connect, note }) {
    const assistant = await connect('v1', { over: 'http' });
    assistant.hears('Start the evening news.');
    const started = await assistant.uses('start_livestream', { livestream: 'evening news' });
    const { livestreamId } = started.facts;
    assistant.hears('A commercial break of 30 seconds, now.');
    await assistant.finds('runtimePushMetadata', 'commercial break now');
    const cue = { type: 'CueOut', metadata: { duration: 30 } };
    const pushed = await assistant.runs('runtimePushMetadata', { livestreamId, ...cue });
    assert.ok(!pushed.isError, pushed.text);
    const [watch] = started.facts.watch as [{ url: string }];
    await until('the break in the playlist', async () => /CUE-OUT|SCTE35-OUT|cue-/u.test(await mediaOf(watch.url)));

    const execute_at = iso(Date.now() + 4000);
    assistant.hears(`And at ${execute_at} show the caption "Back soon".`);
    await assistant.finds('setLivestreamText', 'write text on the screen');
    await assistant.finds('addLivestreamAction', 'show a caption at a set time later');
    const payload = { action: 'show', text: 'Back soon', size: 100 };
    const planned = await assistant.runs('addLivestreamAction', { livestreamId, type: 'text', payload, execute_at });
    assert.equal(planned.facts.data.status, 'pending', planned.text);
    assistant.hears('What has happened so far?');
    const isDone = (facts: any): boolean =>
      (facts.rows as { kind: string }[]).some(({ kind }) => kind === 'action_executed');
    const log = await assistant.waits(() => assistant.runs('getLivestreamEvents', { livestreamId }), isDone);
    const messagesOf = (log.facts.rows as { kind: string; message: string }[]).map(
      ({ kind, message }) => `${kind}: ${message}`,
    );
    note(messagesOf.join(' | '));
    for (const kind of ['started', 'runtime_changed', 'action_executed'])
      assert.ok(
        messagesOf.some((line) => line.startsWith(kind)),
        kind,
      );
    await assistant.finds('getLivestreamPreview', 'what do viewers see');
    const { picture, text } = await assistant.runs('getLivestreamPreview', { livestreamId });
    assert.ok(lookAt(picture ?? assert.fail(text)).caption, 'viewers see it');
    await assistant.uses('stop_livestream', { livestream: 'evening news' });
  },
};

async function mediaOf(master: string): Promise<string> {
  const variant = (await (await fetch(master)).text()).split('\n').find((line) => /^[^#]/u.test(line)) ?? '';
  return (await fetch(new URL(variant, master))).text();
}

const nextWeek: Conversation = {
  title: 'an assistant plans next week: what is in the way is named, and one broadcast is called off again',
  calls: 7,
  async run({ prepared, connect, note }) {
    const dayMs = Math.ceil((Date.now() + 7 * DAY_MS) / DAY_MS) * DAY_MS;
    const [eight, nine] = [iso(dayMs + 20 * HOUR_MS), iso(dayMs + 21 * HOUR_MS)];
    const rehearsal = { name: 'Rehearsal', livestreamId: prepared.idOf('Council Meeting') };
    const inTheWay = { start: iso(dayMs + 20.5 * HOUR_MS), end: iso(dayMs + 21.5 * HOUR_MS) };
    await prepared.service.create('/schedules', { ...rehearsal, ...inTheWay });

    const assistant = await connect('v2 pinned', { over: 'stdio' });
    assistant.hears(`The Council Meeting is to be on air from ${eight} to ${nine}, and the same every week.`);
    const weekly = { livestream: 'council meeting', recurrence: { type: 'weekly' } };
    const refused = await assistant.uses('schedule_livestream', { ...weekly, start: eight, end: nine });
    note(refused.text);
    assert.equal(refused.facts.code, 'conflict');
    assert.match(refused.text, /Rehearsal/u);
    assistant.hears('Then two hours earlier.');
    const times = { start: iso(dayMs + 18 * HOUR_MS), end: iso(dayMs + 19 * HOUR_MS) };
    const planned = await assistant.uses('schedule_livestream', { ...weekly, ...times });
    note(planned.text);
    assert.equal(planned.facts.changed, true, planned.text);
    const { scheduleId, livestreamId } = planned.facts as { scheduleId: number; livestreamId: number };

    assistant.hears('What is on in that week?');
    await assistant.finds('getScheduleOccurrences', 'what is on next week');
    const window = { from: iso(dayMs), to: iso(dayMs + 7 * DAY_MS) };
    const week = await assistant.runs('getScheduleOccurrences', window);
    const shown = (week.facts.rows as Occurrence[]).filter((row) => row.livestreamId === livestreamId);
    assert.deepEqual(
      shown.map(({ start }) => start),
      [times.start, inTheWay.start],
    );
    assistant.hears('Call the rehearsal off.');
    const other = shown.find((row) => row.scheduleId !== scheduleId)!;
    await assistant.finds('deleteSchedule', 'call off a schedule');
    const deleted = await assistant.runs('deleteSchedule', { scheduleId: other.scheduleId });
    assert.ok(!deleted.isError, deleted.text);
    const left = await assistant.runs('getScheduleOccurrences', window);
    assert.deepEqual((left.facts.rows as Occurrence[]).filter((row) => row.livestreamId === livestreamId).length, 1);
  },
};

export const PLANS = [tonightOff, laterInTheShow, nextWeek];
