/** The words of a mail about faults: plain text, times in one zone, the page and the link to acknowledge. */
import { calledAmong } from '../domain/base/sentence.ts';
import type { Mail } from '../domain/shapes/installation/mail.ts';
import type { MailNotice, MailRule, NoticeCondition } from '../domain/shapes/installation/mail-rule.ts';
import type { System } from '../domain/shapes/installation/system.ts';

/** A fault that nobody has acknowledged in this time is found on the page. */
const LINK_DAYS = 7;
const DAY_MS = 86_400_000;
/** RFC 5322 has 78 characters a line; a phone shows fewer. */
const MAX_SUBJECT = 78;

export interface MailFacts {
  rule: Readonly<MailRule>;
  /** More than one in the mail of a day. */
  notices: readonly Readonly<MailNotice>[];
  /** The Live streams that are still there, by id. */
  names: ReadonlyMap<number, { name: string }>;
  /** The zone of the service. */
  timezone: string;
  links: Pick<System['links'], 'sign' | 'page'>;
  nowMs: number;
}

export function mailOf(facts: MailFacts): Mail {
  const { rule, notices, nowMs } = facts;
  const [first] = notices;
  return {
    to: rule.recipients,
    subject: subjectOf(facts),
    text: [...notices.map((notice) => textOf(notice, facts)), footOf(facts)].join('\n\n'),
    id: rule.digest === 'daily' ? `rule-${rule.id}-${Math.floor(nowMs / DAY_MS)}` : `notice-${first?.id ?? 0}`,
  };
}

function subjectOf({ rule, notices, names }: MailFacts): string {
  const [notice] = notices;
  if (rule.digest === 'daily' || notice === undefined)
    return `onair: ${notices.length === 1 ? '1 fault' : `${notices.length} faults`} in a day (${rule.name})`;
  const message = notice.conditions[0]?.message ?? '';
  const text = `onair: ${nameOf(notice, names)}${message}`;
  return text.length <= MAX_SUBJECT ? text : `${text.slice(0, MAX_SUBJECT - 1)}…`;
}

function nameOf({ livestreamId }: Readonly<MailNotice>, names: MailFacts['names']): string {
  return livestreamId === null ? '' : `${calledAmong(names, 'Live stream', livestreamId)}: `;
}

function textOf(notice: Readonly<MailNotice>, facts: MailFacts): string {
  const { names, links, nowMs } = facts;
  const lines = notice.conditions.map((condition) => lineOf(condition, notice, facts));
  const link = links.sign(`/mail/${notice.id}/acknowledge`, nowMs + LINK_DAYS * DAY_MS);
  const foot = notice.ended_at === null ? [`Acknowledge: ${link}`] : [];
  return [nameOf(notice, names).replace(/: $/u, ''), ...lines, ...foot].filter((line) => line !== '').join('\n');
}

function lineOf(
  { at, message, ended_at }: NoticeCondition,
  { livestreamId }: Readonly<MailNotice>,
  facts: MailFacts,
): string {
  const over = ended_at === null ? '' : ` Over since ${timeIn(ended_at, facts)}.`;
  return `${livestreamId === null ? '' : '  '}${timeIn(at, facts)}  ${message}${over}`;
}

function timeIn(instant: string, { rule, timezone }: MailFacts): string {
  const timeZone = rule.quiet_hours?.timezone ?? timezone;
  return new Date(instant).toLocaleString('sv-SE', { timeZone });
}

function footOf({ rule, timezone, links }: MailFacts): string {
  return [
    `Page: ${links.page('/#/on-air')}`,
    `Times are of ${rule.quiet_hours?.timezone ?? timezone}. This mail comes by the rule "${rule.name}", which an administrator can change.`,
  ].join('\n');
}
