/** Instants as callers write them: any form of RFC 3339, or a local time, which a zone's clock reads. */
import { z } from 'zod/v3';
import { toIso } from './clock.ts';
import { LAST_INSTANT_MS } from './recurrence.ts';
import { instantsOf, nextInstant, wallAt, type WallTime } from './zone.ts';

/** An instant with a long fraction of a second is shorter. */
const MAX_LENGTH = 64;
/** Longer invalid values are cut to this length in messages. */
const MAX_SHOWN = 40;
const FORM =
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)[tT ](?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:\.(?<fraction>\d+))?)?(?<offset>[zZ]|[+ -]\d\d:?\d\d)?$/u;
const EXAMPLES = 'an instant such as 2026-01-31T20:00:00Z, or without Z a local time';
/** PostgreSQL has no year 0. */
const FIRST_INSTANT_MS = Date.parse('0001-01-01T00:00:00Z');

interface Written {
  wall: WallTime;
  /** undefined: a local time. */
  offsetMs: number | undefined;
}

/** Reads the form alone, or says what is wrong with it. */
function written(text: string): Written | string {
  const parts = FORM.exec(text)?.groups;
  if (parts === undefined) {
    const hint = /^\d{4}-\d\d-\d\d$/u.test(text) ? '; add the time of day' : '';
    return `must be ${EXAMPLES}, not ${JSON.stringify(text.slice(0, MAX_SHOWN))}${hint}`;
  }
  const { year, month, day, hour, minute, second = '0', fraction = '', offset } = parts;
  const dayMs = Date.parse(`${year}-${month}-01T00:00:00Z`) + (Number(day) - 1) * 86_400_000;
  const shown = JSON.stringify(text);
  if (Number.isNaN(dayMs) || !toIso(dayMs).startsWith(`${year}-${month}-${day}`))
    return `must be ${EXAMPLES}; the calendar has no day ${year}-${month}-${day}, as in ${shown}`;
  if (Number(hour) > 23 || Number(minute) > 59)
    return `must be ${EXAMPLES}; a clock shows 00:00 to 23:59, not ${hour}:${minute} as in ${shown}`;
  if (Number(second) > 59)
    return `must be ${EXAMPLES}; seconds are 00 to 59, for leap seconds are not counted, as in ${shown}`;
  const ms = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const wall = dayMs + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000 + ms;
  const offsetMs = offset === undefined ? undefined : offsetOf(offset);
  if (Number.isNaN(offsetMs)) return `must be ${EXAMPLES}; an offset is -23:59 to +23:59, not as in ${shown}`;
  return { wall, offsetMs };
}

/** The plus of an offset becomes a space where it stands in an address as it is. NaN for one that no clock has. */
function offsetOf(text: string): number {
  if (/^z$/iu.test(text)) return 0;
  const [, sign, hours, minutes] = /^([+ -])(\d\d):?(\d\d)$/u.exec(text) ?? [];
  if (Number(hours) > 23 || Number(minutes) > 59) return Number.NaN;
  return (sign === '-' ? -60_000 : 60_000) * (Number(hours) * 60 + Number(minutes));
}

const form = z
  .string()
  .max(MAX_LENGTH)
  .superRefine((text, context) => {
    const found = written(text);
    if (typeof found !== 'string' || text.length > MAX_LENGTH) return;
    context.addIssue({ code: 'invalid_string', validation: 'datetime', message: found });
  });

/**
 * The field of an input that names an instant. `dispatch` turns what is sent into UTC, by the clock of the zone that it names to the reader.
 * It is no `date-time` of JSON Schema, which always has an offset.
 */
export function instantInput(what: string, zone = 'the service'): typeof form {
  return form.describe(`${what} ISO 8601; no offset: local to ${zone}.`);
}

export function isInstantInput(schema: z.ZodTypeAny): boolean {
  return schema instanceof z.ZodEffects && schema._def.effect === form._def.effect;
}

export interface ReadInstant {
  /** ISO 8601 UTC. */
  instant: string;
  /** Zone in which the caller speaks: the offset that was sent, else `zone`. */
  zone: string;
}

export interface InstantIssue {
  code: 'invalid_format' | 'skipped_time' | 'repeated_time';
  message: string;
  /** The instants that may be meant. */
  allowed?: string[];
}

/** Reads `text` by the clock of `zone`. A local time that the clock skips, or shows twice, means nothing. */
export function readInstant(text: string, zone: string): ReadInstant | InstantIssue {
  const found = written(text);
  if (typeof found === 'string') return { code: 'invalid_format', message: found };
  const { wall, offsetMs } = found;
  const ms = offsetMs === undefined ? localInstant(wall, zone) : wall - offsetMs;
  if (typeof ms !== 'number') return ms;
  if (ms < FIRST_INSTANT_MS || ms > LAST_INSTANT_MS)
    return { code: 'invalid_format', message: `must be in the years 0001 to 9999, not ${JSON.stringify(text)}` };
  return { instant: toIso(ms), zone: offsetMs === undefined ? zone : zoneOf(offsetMs) };
}

/** The one instant at which the clock of `zone` shows `wall`. */
export function localInstant(wall: WallTime, zone: string): number | InstantIssue {
  const instants = instantsOf(wall, zone);
  const [ms] = instants;
  if (ms === undefined) {
    const next = inZone(nextInstant(wall, zone), zone);
    const message = `is skipped by the clock of ${zone}, which goes on at ${next}; send that, or another time`;
    return { code: 'skipped_time', message, allowed: [next] };
  }
  if (instants.length > 1) {
    const allowed = instants.map((each) => inZone(each, zone));
    const message = `comes twice by the clock of ${zone}; send ${allowed[0]} for the first or ${allowed[1]} for the second`;
    return { code: 'repeated_time', message, allowed };
  }
  return ms;
}

function zoneOf(offsetMs: number): string {
  if (offsetMs === 0) return 'UTC';
  const minutes = Math.abs(offsetMs) / 60_000;
  const two = (part: number): string => String(Math.floor(part)).padStart(2, '0');
  return `${offsetMs < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}

/** RFC 3339 by the clock of the zone, or with an offset such as `+01:00`: what a person reads there, and what can be sent back. */
export function inZone(instant: number | string, zone: string): string {
  const ms = typeof instant === 'string' ? Date.parse(instant) : instant;
  const sent = /^[+-]\d\d:\d\d$/u.test(zone) ? offsetOf(zone) : undefined;
  const offsetMs = sent ?? wallAt(ms, zone) - ms;
  // The mean time of a place, before there were zones, has seconds.
  const shownMs = offsetMs % 60_000 === 0 ? offsetMs : 0;
  return toIso(ms + shownMs).replace(/(?:\.000)?Z$/u, shownMs === 0 ? 'Z' : zoneOf(shownMs));
}
