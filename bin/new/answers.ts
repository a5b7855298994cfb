/** The answers about a new broadcast: from the flags, completed by the questions of a terminal. */
import { toIso } from '../../domain/time/clock.ts';
import { invalidInput, type FieldIssue } from '../../domain/base/errors.ts';
import type { LadderId } from '../../domain/shapes/encodings/preset-ids.ts';
import { target } from '../settings/target.ts';
import { NoAnswer } from '../exit-codes.ts';
import type { FormatFlags } from '../output/format.ts';
import { serverZone } from '../server/server-zone.ts';
import { parseTime } from '../times.ts';
import { destinationsOf, missingOf, type Destination, type DestinationFlags } from './destinations.ts';
import { orList } from '../../domain/base/sentence.ts';
import { INGEST_WORDS } from '../../domain/types/channel-questions.ts';

export interface NewFlags extends FormatFlags, DestinationFlags {
  name?: string;
  source?: string;
  quality?: LadderId;
  record?: boolean;
  when?: string;
  end?: string;
  recurrence: string;
  start?: boolean;
  dryRun?: boolean;
  yes?: boolean;
}

/** The flags with the answers of a person. */
export interface NewAnswers extends Omit<NewFlags, 'to' | 'url' | 'keyFile'> {
  destinations: Destination[];
}

/** Throws AppError invalid_input. */
export function answersOf({ to, url, keyFile, ...others }: NewFlags): NewAnswers {
  const { key } = others;
  const flags = { ...(to && { to }), ...(url && { url }), ...(keyFile && { keyFile }), ...(key && { key }) };
  return { ...others, destinations: destinationsOf(flags) };
}

/** Long enough for most shows; the plan says it. */
const USUAL_LENGTH = '+2h';

/** The flags that are still needed. */
export function missingAnswers({ source, destinations, key }: NewAnswers): FieldIssue[] {
  const need = (field: string, message: string): FieldIssue => ({ field, code: 'required', message });
  const issues = [
    ...(source === undefined ? [need('--source', `is needed: a file, URL, Channel, ${orList(INGEST_WORDS)}`)] : []),
    ...(destinations.length === 0 ? [need('--to', 'is needed: a template of listPresets, or an address')] : []),
  ];
  return issues.length > 0 ? issues : destinations.flatMap((each) => missingOf(each, key));
}

export interface SentTimes {
  start_at?: string;
  end_at?: string;
  recurrence?: string;
  timezone?: string;
}

/** A slow server still tells its zone; another zone would be another hour. */
const ZONE_MS = 10_000;

/** The arguments of the call for a broadcast by the clock; none without --when. The zone is that of the server. */
export async function timesOf({ when, end, recurrence }: NewAnswers): Promise<SentTimes> {
  if (when === undefined) {
    if (end === undefined && recurrence === 'none') return {};
    throw invalidInput([{ field: '--when', code: 'required', message: 'is needed with --end and --recurrence' }]);
  }
  const { url } = target();
  const zone = await serverZone(url, ZONE_MS).catch(() => undefined);
  if (zone === undefined)
    throw new NoAnswer(`The server at ${url} does not tell its time zone, by which ${when} is meant.`);
  const nowMs = Date.now();
  const startMs = parseTime(when, { nowMs, zone, field: '--when' });
  const endMs = parseTime(end ?? USUAL_LENGTH, { nowMs, zone, startMs, field: '--end' });
  return { start_at: toIso(startMs), end_at: toIso(endMs), recurrence, timezone: zone };
}
