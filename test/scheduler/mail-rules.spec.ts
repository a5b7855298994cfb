/** Mails about faults: a real mail server, the real store and rules, and time that is moved by hand. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { toIso } from '../../domain/time/clock.ts';
import { addEvent } from '../../domain/rules/rows/event-log.ts';
import type { EventKind } from '../../domain/shapes/installation/event.ts';
import { sendMail } from '../../integrations/mail.ts';
import { MailRules } from '../../scheduler/mail-rules.ts';
import { startScheduler, type Scheduler } from '../../scheduler/scheduler.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { surroundings } from '../app/surroundings.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';
import { settled } from '../helpers/pass.ts';
import { silentLog } from '../helpers/silent-log.ts';
import { startMailServer, type MailServer } from '../helpers/servers/smtp.ts';
import { until } from '../helpers/until.ts';

const ACCOUNT = { user: 'onair', password: 'canary-mail-password' };
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe('mails about faults', () => {
  let server: MailServer;
  let app: TestApp;
  let livestreamId: number;
  let task: MailRules | undefined;
  before(async () => {
    server = await startMailServer(ACCOUNT);
  });
  after(() => server.stop());
  beforeEach(async () => {
    Object.assign(server, { mails: [], fault: undefined, refused: new Set() });
    app = await startTestApp({ timezone: 'Europe/Zurich' });
    ({ livestreamId } = await addBroadcast(app, '', 'Show'));
  });
  afterEach(async () => {
    task?.end();
    await app.close();
  });

  const depsOf = () => ({
    store: app.store,
    clock: app.clock,
    log: silentLog,
    control: { timezone: 'Europe/Zurich' },
    integrations: {
      sendMail: (mail: Parameters<typeof sendMail>[1], signal: AbortSignal) =>
        sendMail({ smtpUrl: server.url, from: 'onair <onair@example.org>' }, mail, signal),
    },
    links: surroundings({ clock: app.clock, dataDir: app.dir }).system.links,
  });

  async function begin(): Promise<void> {
    task = new MailRules(depsOf());
    await task.begin();
  }

  async function rule(more: object = {}): Promise<number> {
    const { id } = await app.data('addMailRule', { name: 'Desk', recipients: ['desk@example.org'], ...more });
    return id as number;
  }

  /** A fault or its end, now. */
  async function happens(kind: EventKind, data: Record<string, unknown> = {}, of: number | null = livestreamId) {
    await app.store.tx((tx) =>
      addEvent(tx, toIso(app.clock.now()), of, { kind, severity: 'error', message: `It is ${kind}.`, data }),
    );
    await settled();
  }

  /** Everything that follows from what is stored, and from the time that has passed. */
  async function passes(ms: number): Promise<void> {
    const step = ms > HOUR_MS ? HOUR_MS / 2 : MINUTE_MS / 2;
    for (let left = ms; left > 0; left -= step) {
      app.clock.advance(Math.min(left, step));
      await settled();
    }
  }
  const mailsAre = (count: number): Promise<boolean> => until(`${count} mails`, () => server.mails.length === count);

  it('a fault that lasts is told once, with the name of the Live stream, its time and a link; one that is over in time is not', async () => {
    await begin();
    await rule();
    await happens('source_lost');
    await passes(MINUTE_MS / 2);
    await happens('source_restored');
    await passes(5 * MINUTE_MS);
    assert.equal(server.mails.length, 0, 'it lasted half a minute');
    await happens('source_lost');
    await happens('black');
    await passes(MINUTE_MS);
    await mailsAre(1);
    await happens('silence');
    await passes(2 * HOUR_MS);
    assert.equal(server.mails.length, 1, 'what follows from it is the same fault');
    const [mail] = server.mails;
    assert.deepEqual(mail?.to, ['desk@example.org']);
    assert.match(mail?.text ?? '', /^Subject: .*Live.stream.\d+."Show":/mu);
    assert.match(mail?.text ?? '', /2026-01-01 01:05:30 {2}It is source_lost\.\r\n.*It is black\./u);
    assert.match(
      mail?.text ?? '',
      /^Acknowledge: http:\/\/onair\.example\/svcapiv2\/mail\/\d+\/acknowledge\?expires=/mu,
    );
    for (const kind of ['source_restored', 'black_ended', 'silence_ended'] as const) await happens(kind);
    await happens('source_lost');
    await passes(2 * MINUTE_MS);
    await mailsAre(2);
  });

  it('what has no end is told at once; what the rule does not name, of other streams, or from before it, is not', async () => {
    await happens('start_failed');
    const { livestreamId: other } = await addBroadcast(app, ' 2', 'Other');
    app.clock.advance(1);
    await rule({ livestreamIds: [livestreamId], conditions: ['start_failed', 'destination_failed'] });
    await begin();
    await happens('start_failed', {}, other);
    await happens('device_lost', { deviceId: 1 }, null);
    await happens('source_lost');
    await passes(5 * MINUTE_MS);
    assert.equal(server.mails.length, 0);
    await happens('start_failed');
    await passes(1000);
    await mailsAre(1);
    // Each Destination has an end of its own.
    await happens('destination_failed', { publishingId: 1 });
    await happens('destination_failed', { publishingId: 2 });
    await happens('destination_up', { publishingId: 2 });
    await passes(MINUTE_MS);
    await mailsAre(2);
    // What is told already lasts: it keeps no other fault back, of a Live stream or of a Device.
    await happens('destination_failed', { publishingId: 1 });
    await happens('destination_failed', { publishingId: 3 });
    await passes(MINUTE_MS);
    await mailsAre(3);
  });

  it('a rule of tags is about the Live streams that have one of them when it happens, beside those that it names', async () => {
    const { livestreamId: tagged } = await addBroadcast(app, ' 2', 'Other');
    const { livestreamId: named } = await addBroadcast(app, ' 3', 'Third');
    await app.data('updateLivestream', { livestreamId: tagged, tags: ['Sport'] });
    const conditions = ['start_failed'];
    const ruleId = await rule({ tags: ['news', 'sport'], livestreamIds: [named], conditions });
    await begin();
    await happens('start_failed');
    await happens('device_lost', { deviceId: 1 }, null);
    await happens('start_failed', {}, tagged);
    await happens('start_failed', {}, named);
    await passes(1000);
    await mailsAre(2);
    await app.data('updateLivestream', { livestreamId, tags: ['news'] });
    await happens('start_failed');
    await passes(1000);
    await mailsAre(3);
    await app.data('deleteLivestream', { livestreamId: named });
    const row = (await app.store.get('mailRules', ruleId))?.row;
    assert.deepEqual([row?.livestreamIds, row?.enabled], [[], true], 'its tags are left');
  });

  it('each Device has a mail of its own, also while another one is away', async () => {
    await begin();
    await rule();
    await happens('device_lost', { deviceId: 1 }, null);
    await happens('device_lost', { deviceId: 2 }, null);
    await passes(MINUTE_MS);
    await mailsAre(2);
    await happens('device_returned', { deviceId: 1 }, null);
    await happens('device_lost', { deviceId: 1 }, null);
    await passes(MINUTE_MS);
    await mailsAre(3);
    await app.data('deleteMailRule', { ruleId: (await app.ids('getAllMailRules'))[0] });
    await happens('device_lost', { deviceId: 3 }, null);
    await passes(5 * MINUTE_MS);
    assert.equal(server.mails.length, 3);
  });

  it('quiet hours hold a mail back until they end, and only what still lasts is told then', async () => {
    await begin();
    await rule({ quiet_hours: { from: '22:00', to: '06:30', timezone: 'Europe/Zurich' } });
    // It is one o'clock at night there.
    await happens('source_lost');
    await happens('device_lost', { deviceId: 1 }, null);
    await passes(5 * HOUR_MS);
    await happens('device_returned', { deviceId: 1 }, null);
    assert.equal(server.mails.length, 0);
    await passes(HOUR_MS / 2);
    await mailsAre(1);
    assert.match(server.mails[0]?.text ?? '', /source_lost/u);
  });

  it('a loss of the source is told once it is an alarm of its Live stream, and never where it is none', async () => {
    await begin();
    await rule();
    await app.data('updateLivestreamOptions', { livestreamId, alarms: { lost_seconds: 180 } });
    await happens('source_lost');
    await passes(2 * MINUTE_MS);
    assert.equal(server.mails.length, 0, 'the rule would have told it after a minute');
    await passes(MINUTE_MS);
    await mailsAre(1);
    await happens('source_restored');
    await app.data('updateLivestreamOptions', { livestreamId, alarms: { lost_seconds: 0 } });
    await happens('source_lost');
    await passes(10 * MINUTE_MS);
    assert.equal(server.mails.length, 1);
  });

  it('a daily mail has all faults of the day, those that are over too', async () => {
    await begin();
    await rule({ digest: 'daily' });
    await happens('source_lost');
    await happens('source_restored');
    await happens('device_lost', { deviceId: 1 }, null);
    await passes(7 * HOUR_MS);
    await mailsAre(1);
    assert.match(server.mails[0]?.text ?? '', /2 faults in a day[\s\S]*source_lost\. Over since[\s\S]*device_lost/u);
    await passes(24 * HOUR_MS);
    assert.equal(server.mails.length, 1, 'a day without faults');
  });

  it('a mail server that takes nothing is asked again, is named without its password, and the others get theirs', async () => {
    await begin();
    const id = await rule({ recipients: ['desk@example.org', 'gone@example.org'] });
    server.fault = 'the disk is full';
    await happens('start_failed');
    await passes(1000);
    const errorIs = (pattern: RegExp): Promise<boolean> =>
      until(`the rule says ${String(pattern)}`, async () =>
        pattern.test((await app.store.get('mailRules', id))?.row.last_error ?? ''),
      );
    await errorIs(/did not take the mail/u);
    Object.assign(server, { fault: undefined, refused: new Set(['gone@example.org']) });
    await passes(MINUTE_MS);
    await mailsAre(1);
    assert.deepEqual(server.mails[0]?.to, ['desk@example.org']);
    await errorIs(/refused gone@example\.org/u);
    await passes(HOUR_MS);
    assert.equal(server.mails.length, 1);
    const wrong = sendMail(
      { smtpUrl: server.url.replace('canary-mail-password', 'canary-wrong') },
      { to: ['desk@example.org'], subject: 'x', text: 'x', id: 'x' },
      AbortSignal.timeout(60_000),
    );
    await assert.rejects(wrong, (error: { message: string; extras: { upstream: string } }) => {
      assert.doesNotMatch(`${error.message} ${error.extras.upstream}`, /canary/u);
      return /did not take/u.test(error.message);
    });
  });

  it('a server that begins again, and three of one store, send one mail for one fault', async () => {
    await rule();
    await begin();
    await happens('source_lost');
    task?.end();
    await passes(2 * MINUTE_MS);
    assert.equal(server.mails.length, 0, 'nobody is there to send it');
    await begin();
    await passes(1000);
    await mailsAre(1);
    task?.end();
    const { store, clock, control } = app;
    const others = { ...depsOf(), store, clock, control, perform: () => Promise.resolve() };
    const schedulers: Scheduler[] = [];
    for (const memberId of ['a', 'b', 'c'])
      schedulers.push(await startScheduler({ ...others, memberId, integrations: others.integrations as never }));
    await settled();
    await happens('start_failed', {}, null);
    await passes(5 * MINUTE_MS);
    await mailsAre(2);
    for (const scheduler of schedulers) scheduler.close();
  });

  it('what a person knows of is not told any more, and the log says who', async () => {
    await begin();
    await rule();
    await happens('source_lost');
    const [lost] = await app.rows('getAllEvents', { kind: 'source_lost' });
    await app.data('acknowledgeEvent', { eventId: lost?.id, note: 'the line is down' });
    await passes(10 * MINUTE_MS);
    assert.equal(server.mails.length, 0);
    const [logged] = await app.rows('getAllEvents', { kind: 'acknowledged' });
    assert.match(String(logged?.['message']), /knows of this: It is source_lost\. \(the line is down\)/u);
    const { eventId, kind, event_at } = logged?.['data'] as Record<string, unknown>;
    assert.deepEqual([eventId, kind, event_at], [lost?.id, 'source_lost', lost?.['at']]);
  });

  it('the test of a rule says whose address was taken, and what is missing where no mail server is set', async () => {
    const id = await rule();
    await assert.rejects(app.data('testMailRule', { ruleId: id }), /ONAIR_SMTP_URL/u);
  });
});
