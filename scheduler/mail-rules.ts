/**
 * Sends people a mail when something is wrong, as the rules say: one for each fault. Events that came while no server had this duty are
 * looked at again at its begin, and nothing is sent twice for them.
 */
import { anySignal } from '../domain/base/any-signal.ts';
import { matters, noteEvent } from '../domain/rules/installation/mail-notices.ts';
import type { LivestreamEvent } from '../domain/shapes/installation/event.ts';
import type { MailNotice, MailRule } from '../domain/shapes/installation/mail-rule.ts';
import { toIso } from '../domain/time/clock.ts';
import { DueQueue } from './due-queue.ts';
import { mailOf } from './mail-text.ts';
import type { SchedulerDeps, SchedulerTask } from './task.ts';

/** A server that was down for longer tells what is wrong by its page. */
const LOOK_BACK_MS = 24 * 3_600_000;
/** A notice outlives the events that could make it again. */
const KEPT_MS = LOOK_BACK_MS + 3_600_000;
/** A mail server that is away for a moment, and one that is away for a day. */
const RETRY_MS = { first: 30_000, longest: 900_000 };
/** After a day of attempts the fault is no news. */
const MAX_FAILURES = 100;
const SEND_BOUND_MS = 60_000;

export interface MailDeps extends Pick<SchedulerDeps, 'store' | 'clock' | 'log' | 'links'> {
  control: Pick<SchedulerDeps['control'], 'timezone'>;
  integrations: Pick<SchedulerDeps['integrations'], 'sendMail'>;
}

export class MailRules implements SchedulerTask {
  private readonly deps: MailDeps;
  private readonly dueQueue: DueQueue;
  private readonly ending = new AbortController();
  /** One after the other: an event may end what the one before it began, and a mail server is asked by one connection. */
  private last: Promise<void> = Promise.resolve();
  private endWatch: () => void = () => undefined;
  /** Ids of stored events that wait for their turn. */
  private readonly events: number[] = [];

  constructor(deps: MailDeps) {
    this.deps = deps;
    this.dueQueue = new DueQueue(deps.clock, (id) => this.inTurn(() => this.send(id)));
  }

  async begin(): Promise<void> {
    const { store, clock } = this.deps;
    this.endWatch = store.onChange((changes) => {
      const ids = changes.flatMap(({ collection, id }) => (collection === 'events' ? [id] : []));
      // Those of many commits that wait for their turn are followed in one.
      if (ids.length > 0 && this.events.push(...ids) === ids.length)
        this.inTurn(() => this.follow(this.events.splice(0)));
    });
    for (const notice of (await store.find('mailNotices', {})).rows) this.expect(notice);
    if (!(await this.hasRules())) return;
    const since = toIso(clock.now() - LOOK_BACK_MS);
    const { rows } = await store.find('events', {
      where: { at: { gte: since } },
      sort: { field: 'at', descending: false },
    });
    for (const event of rows) this.inTurn(() => this.note(event));
  }

  end(): void {
    this.ending.abort();
    this.endWatch();
    this.dueQueue.close();
  }

  private async hasRules(): Promise<boolean> {
    return (await this.deps.store.find('mailRules', { limit: 1 })).total > 0;
  }

  private async follow(eventIds: readonly number[]): Promise<void> {
    // Events lie in files: without a rule none is read.
    if (!(await this.hasRules())) return;
    for (const event of await this.deps.store.getMany('events', eventIds)) this.inTurn(() => this.note(event));
  }

  private async note(event: Readonly<LivestreamEvent>): Promise<void> {
    const { store, clock, control } = this.deps;
    const rules = (await store.find('mailRules', {})).rows.filter((rule) => matters(rule, event));
    if (rules.length === 0) return;
    const notices = await store.tx((tx) => {
      const at = { now: toIso(clock.now()), zone: control.timezone };
      return rules.flatMap((rule) => noteEvent(tx, rule, event, at));
    });
    for (const notice of notices) this.expect(notice);
  }

  private expect({ id, due_at }: Readonly<MailNotice>): void {
    if (due_at === null) this.dueQueue.delete(id);
    else this.dueQueue.set(id, Date.parse(due_at));
  }

  private async send(id: number): Promise<void> {
    const { store, clock, control, integrations, links } = this.deps;
    const notice = (await store.get('mailNotices', id))?.row;
    const rule = notice && (await store.get('mailRules', notice.ruleId))?.row;
    // What was acknowledged on the page is known already.
    if (notice?.due_at == null || rule?.enabled !== true || notice.acknowledged !== null) return this.forget(id);
    const notices = rule.digest === 'daily' ? await this.unsent(rule) : [notice];
    const names = await this.namesOf(notices);
    const mail = mailOf({ rule, notices, names, timezone: control.timezone, links, nowMs: clock.now() });
    const bound = anySignal([this.ending.signal, AbortSignal.timeout(SEND_BOUND_MS)]);
    const failure = await integrations.sendMail(mail, bound).then(
      ({ rejected }) => (rejected.length === 0 ? undefined : `The mail server refused ${rejected.join(', ')}.`),
      (error: unknown) => error as Error,
    );
    if (this.ending.signal.aborted) return;
    await this.keep(rule, notices, failure);
  }

  /** The day's mail has all of the rule that is not told yet, what is over as well. */
  private async unsent(rule: Readonly<MailRule>): Promise<Readonly<MailNotice>[]> {
    const { rows } = await this.deps.store.find('mailNotices', { where: { ruleId: rule.id } });
    return rows.filter(({ due_at }) => due_at !== null);
  }

  private async namesOf(notices: readonly Readonly<MailNotice>[]): Promise<Map<number, { name: string }>> {
    const names = new Map<number, { name: string }>();
    for (const { livestreamId } of notices) {
      const row = livestreamId === null ? undefined : (await this.deps.store.get('livestreams', livestreamId))?.row;
      if (row !== undefined) names.set(row.id, row);
    }
    return names;
  }

  /** `failure` is a text where some addresses were refused: the others have the mail, so it is not sent again. */
  private async keep(
    { id: ruleId }: Readonly<MailRule>,
    notices: readonly Readonly<MailNotice>[],
    failure: string | Error | undefined,
  ): Promise<void> {
    const { store, clock, log } = this.deps;
    const last_error = failure instanceof Error ? failure.message : (failure ?? null);
    if (last_error !== null) log.warn({ ruleId, err: failure }, 'A mail about a fault could not be sent to everybody.');
    const kept = await store.tx((tx) => {
      const now = toIso(clock.now());
      const rule = tx.get('mailRules', ruleId);
      const isSent = !(failure instanceof Error);
      if (rule !== undefined) tx.put('mailRules', { ...rule, last_error, ...(isSent && { last_sent_at: now }) });
      return notices.flatMap(({ id }) => {
        const present = tx.get('mailNotices', id);
        if (present === undefined) return [];
        const changed = isSent ? { ...present, sent_at: now, due_at: null } : afterFailure(present, clock.now());
        tx.put('mailNotices', changed);
        return [changed];
      });
    });
    for (const notice of kept) this.expect(notice);
    await this.sweep();
  }

  private async forget(id: number): Promise<void> {
    await this.deps.store.tx((tx) => {
      const present = tx.get('mailNotices', id);
      if (present !== undefined) tx.put('mailNotices', { ...present, due_at: null });
    });
    await this.sweep();
  }

  private async sweep(): Promise<void> {
    const before = toIso(this.deps.clock.now() - KEPT_MS);
    await this.deps.store.tx((tx) => {
      for (const { id, ruleId, due_at, ended_at } of tx.find('mailNotices', {}).rows) {
        const isOver = ended_at !== null && ended_at < before && due_at === null;
        if (isOver || tx.get('mailRules', ruleId) === undefined) tx.delete('mailNotices', id);
      }
    });
  }

  private inTurn(work: () => Promise<void>): void {
    this.last = this.last.then(work).catch((error: unknown) => {
      if (!this.ending.signal.aborted) this.deps.log.error({ err: error }, 'Mails about faults could not go on.');
    });
  }
}

function afterFailure(notice: Readonly<MailNotice>, nowMs: number): MailNotice {
  const failures = notice.failures + 1;
  const pauseMs = Math.min(RETRY_MS.first * 2 ** notice.failures, RETRY_MS.longest);
  return { ...notice, failures, due_at: failures < MAX_FAILURES ? toIso(nowMs + pauseMs) : null };
}
