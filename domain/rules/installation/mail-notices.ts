/** Which events make a notice of a mail rule, which end it, and when its mail is due. All of it runs inside a commit. */
import type { Tx } from '../../ports/store.ts';
import { alarmsOf } from '../broadcasts/alarms.ts';
import { ENDS, isEndOf, OFF, subjectOf } from '../rows/event-ends.ts';
import { addEvent } from '../rows/event-log.ts';
import type { EventKind, LivestreamEvent } from '../../shapes/installation/event.ts';
import type { MailNotice, MailRule, NoticeCondition } from '../../shapes/installation/mail-rule.ts';
import { hasTag } from '../../base/tags.ts';
import { notFound } from '../../base/errors.ts';
import { toIso } from '../../time/clock.ts';
import { instantOf, wallAt } from '../../time/zone.ts';

const LASTING = new Set(Object.values(ENDS).flat());
/** A source that is lost gives none of these, whatever viewers get in its place. */
const FOLLOWS_FROM_LOSS: readonly EventKind[] = ['source_gap', 'silence', 'black', 'frozen', 'low_fps'];

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const DIGEST_TIME = '08:00';

/** Whether the event could begin or end anything of the rule: most events do neither. */
export function matters(
  { conditions }: Pick<MailRule, 'conditions'>,
  { kind }: Pick<LivestreamEvent, 'kind'>,
): boolean {
  return (
    conditions.includes(kind) || OFF.includes(kind) || ENDS[kind]?.some((each) => conditions.includes(each)) === true
  );
}

/** Writes what the event means for the rule; answers the notices that it made or changed. An event that is known changes nothing. */
export function noteEvent(
  tx: Tx,
  rule: Readonly<MailRule>,
  event: Readonly<LivestreamEvent>,
  { now, zone }: { now: string; zone: string },
): MailNotice[] {
  const { livestreamId } = event;
  const notices = tx.find('mailNotices', { where: { ruleId: rule.id, livestreamId } }).rows;
  const open = notices.filter(({ ended_at }) => ended_at === null);
  const ended = open.flatMap((notice) => endedBy(notice, event) ?? []);
  if (ended.length > 0) return ended.map((notice) => put(tx, rule, notice));
  const isKnown = notices.some(({ conditions }) => conditions.some(({ eventId }) => eventId === event.id));
  if (isKnown || !isWanted(tx, rule, event)) return [];
  const condition = conditionOf(event);
  const home = open.find((notice) => belongsTo(notice, condition));
  if (home !== undefined) return [put(tx, rule, { ...home, conditions: [...home.conditions, condition] })];
  const isLasting = LASTING.has(event.kind);
  const seconds = isLasting ? Math.max(rule.after_seconds, lostSeconds(tx, event) ?? 0) : 0;
  const dueMs = Math.max(Date.parse(now), Date.parse(event.at) + seconds * 1000);
  const notice = {
    ruleId: rule.id,
    livestreamId,
    conditions: [condition],
    due_at: toIso(mailTime(rule, dueMs, zone)),
    sent_at: null,
    ended_at: isLasting ? null : now,
    acknowledged: null,
    failures: 0,
  };
  return [{ ...tx.insert('mailNotices', notice) }];
}

/** One mail tells all that is wrong with a Live stream by then; of what comes later, what is told already and what follows from it is not told again. */
function belongsTo(
  { livestreamId, conditions, sent_at }: Readonly<MailNotice>,
  { kind, of }: NoticeCondition,
): boolean {
  const lasting = conditions.filter(({ ended_at }) => ended_at === null);
  if (lasting.some((each) => each.kind === kind && each.of === of)) return true;
  if (sent_at === null) return livestreamId !== null || conditions[0]?.of === of;
  return FOLLOWS_FROM_LOSS.includes(kind) && lasting.some((each) => each.kind === 'source_lost');
}

function put(tx: Tx, { digest }: Readonly<MailRule>, changed: MailNotice): MailNotice {
  // What was over before its time is told by the mail of the day alone.
  const isTold = changed.sent_at === null && (changed.ended_at === null || digest === 'daily');
  const notice = { ...changed, due_at: isTold ? changed.due_at : null };
  tx.put('mailNotices', notice);
  return notice;
}

function isWanted(
  tx: Tx,
  { enabled, conditions, livestreamIds, tags = [], updated_at }: Readonly<MailRule>,
  event: Readonly<LivestreamEvent>,
): boolean {
  const { livestreamId } = event;
  const isTagged = (id: number): boolean => tags.some((tag) => hasTag(tx.get('livestreams', id)?.tags, tag));
  const isOfAll = livestreamIds.length === 0 && tags.length === 0;
  const isOfThese =
    isOfAll || (livestreamId !== null && (livestreamIds.includes(livestreamId) || isTagged(livestreamId)));
  // What was there before the rule was made or changed is no news.
  const isNews = conditions.includes(event.kind) && event.at >= updated_at;
  return enabled && isNews && isOfThese && lostSeconds(tx, event) !== 0;
}

/** After how long a loss of the source is an alarm of its Live stream; undefined for other events. */
function lostSeconds(tx: Tx, { kind, livestreamId }: Readonly<LivestreamEvent>): number | undefined {
  const livestream = kind === 'source_lost' && livestreamId !== null ? tx.get('livestreams', livestreamId) : undefined;
  return livestream && alarmsOf(livestream).lost_seconds;
}

export const conditionOf = ({ id, kind, at, message, data }: Readonly<LivestreamEvent>): NoticeCondition => ({
  eventId: id,
  kind,
  at,
  message,
  of: subjectOf(data),
  ended_at: null,
});

/** The notice with what the event ends; undefined where it ends nothing. */
function endedBy(notice: Readonly<MailNotice>, event: Readonly<LivestreamEvent>): MailNotice | undefined {
  const { at } = event;
  const isOver = (condition: NoticeCondition): boolean =>
    condition.ended_at === null && condition.at <= at && isEndOf(event, condition);
  if (!notice.conditions.some(isOver)) return undefined;
  const conditions = notice.conditions.map((each) => (isOver(each) ? { ...each, ended_at: at } : each));
  const lasts = conditions.some((each) => each.ended_at === null && LASTING.has(each.kind));
  return { ...notice, conditions, ended_at: lasts ? null : at };
}

/** The first instant from `fromMs` on at which the rule sends a mail. `zone` is that of the service. */
function mailTime({ digest, quiet_hours: quiet }: Readonly<MailRule>, fromMs: number, zone: string): number {
  if (digest === 'daily') return nextAt(fromMs, quiet?.to ?? DIGEST_TIME, quiet?.timezone ?? zone);
  if (quiet === null) return fromMs;
  const [from, to] = [minutesOf(quiet.from), minutesOf(quiet.to)];
  const minute = Math.floor((wallAt(fromMs, quiet.timezone) % DAY_MS) / MINUTE_MS);
  const isQuiet = from < to ? minute >= from && minute < to : minute >= from || minute < to;
  return isQuiet ? nextAt(fromMs, quiet.to, quiet.timezone) : fromMs;
}

/** The next instant at which the clock of the zone shows the time of day. */
function nextAt(fromMs: number, time: string, zone: string): number {
  const midnight = Math.floor(wallAt(fromMs, zone) / DAY_MS) * DAY_MS;
  const at = midnight + minutesOf(time) * MINUTE_MS;
  const today = instantOf(at, zone);
  return today >= fromMs ? today : instantOf(at + DAY_MS, zone);
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

/** Who has the mail knows of the fault. Answers the notice as it is then; one that was acknowledged stays as it is. */
export function acknowledgeNotice(tx: Tx, now: string, id: number): Readonly<MailNotice> {
  const notice = tx.get('mailNotices', id);
  if (notice === undefined) throw notFound('fault', id);
  const [first] = notice.conditions;
  if (notice.acknowledged !== null || first === undefined) return notice;
  const rule = tx.get('mailRules', notice.ruleId);
  const by = rule === undefined ? 'The reader of a mail' : `The reader of a mail of the rule "${rule.name}"`;
  acknowledge(tx, now, { ...first, livestreamId: notice.livestreamId }, { by });
  return tx.get('mailNotices', id) ?? notice;
}

type AcknowledgedFault = Pick<LivestreamEvent, 'livestreamId'> & Omit<NoticeCondition, 'ended_at'>;

/** Writes that people know of the fault of the event, by whom, and takes its mail back where it has not gone out. */
export function acknowledge(
  tx: Tx,
  now: string,
  { livestreamId, eventId: id, kind, at, of, message: what }: AcknowledgedFault,
  { by, note }: { by: string; note?: string | undefined },
): void {
  const message = `${by} knows of this: ${what}${note === undefined ? '' : ` (${note})`}`;
  const data = { eventId: id, kind, of, event_at: at, by, ...(note !== undefined && { note }) };
  addEvent(tx, now, livestreamId, { kind: 'acknowledged', severity: 'info', message, data });
  for (const notice of tx.find('mailNotices', { where: { livestreamId } }).rows)
    if (notice.conditions.some(({ eventId }) => eventId === id))
      tx.put('mailNotices', { ...notice, due_at: null, acknowledged: notice.acknowledged ?? { at: now, by } });
}
