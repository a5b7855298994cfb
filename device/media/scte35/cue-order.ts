/** Checks an operator's cue: its sections are read, and its texts are fit for every manifest. */
import { AppError } from '../../../domain/base/errors.ts';
import type { AdValues, CueSpec } from '../../../domain/shapes/changes/change-bodies.ts';
import { cueBytes, type ManifestRange } from './cue-message.ts';
import { id3Tag } from '../mpeg-ts/id3.ts';
import { TICKS_PER_SECOND } from '../mpeg-ts/mpeg-ts.ts';
import { decodeSplice, encodeSplice, shiftSplice, spliceTicks, type SpliceInfo, type SpliceRefusal } from './scte35.ts';
import { SEGMENTATION_TYPES } from './scte35-descriptor.ts';

export type CueOrder =
  | { kind: 'id3'; tag: Buffer }
  | { kind: 'range'; id: string | undefined; range: Omit<ManifestRange, 'startAt' | 'id'> }
  | ({ kind: 'out' | 'in' } & BreakOrder);

export interface BreakOrder {
  eventId: number | undefined;
  seconds: number | undefined;
  /** The operator's own section; undefined: one is made. */
  section: SpliceInfo | undefined;
  /** The break is announced to old players of HLS, too. */
  cueTags: boolean;
}

const REFUSALS: Record<SpliceRefusal, string> = {
  not_a_cue: 'it does not begin with table id 0xFC',
  cut_short: 'it ends before its section_length says so',
  damaged: 'its CRC_32 is wrong',
  unknown_version: 'its protocol_version is not 0',
  encrypted: 'it is encrypted, so its time cannot be read',
  malformed: 'its fields contradict its lengths',
};

/** Throws AppError rule_violated, which says what is wrong with the cue. */
export function cueOrder(cue: CueSpec): CueOrder {
  const { type } = cue;
  if (type === 'ID3Tag') return { kind: 'id3', tag: tagOf(cue) };
  if (type === 'DateRange') return rangeOrder(cue);
  const kind = type === 'CueOut' || type === 'ScteOut' ? 'out' : 'in';
  const section = cue.value === undefined ? undefined : sectionOf(cue.value);
  const facts = section === undefined ? undefined : breakFacts(section);
  if (facts?.kind !== undefined && facts.kind !== kind)
    refuse(
      `${type} is given a section that says the opposite (${facts.kind === 'out' ? 'out of' : 'into'} the network).`,
    );
  return {
    kind,
    section,
    cueTags: type === 'CueOut' || type === 'CueIn',
    eventId: eventIdOf(cue) ?? facts?.eventId,
    // 0 means that nobody knows.
    seconds: facts?.seconds ?? (cue.duration === 0 ? undefined : cue.duration),
  };
}

/** Returns how long a break lasts, and how long at most. next_ad_duration counts for one CueOut alone, and not against a duration of its own. */
export function breakSeconds(
  order: BreakOrder,
  ads: AdValues,
): { planned: number | undefined; most: number | undefined } {
  const set = (value: number | null): number | undefined => (value === null || value === 0 ? undefined : value);
  const most = set(ads.max_ad_duration);
  const substitute = order.cueTags ? (set(ads.next_ad_duration) ?? set(ads.default_ad_duration)) : undefined;
  const wanted = order.seconds ?? substitute;
  const planned = wanted === undefined || most === undefined ? wanted : Math.min(wanted, most);
  return { planned, most };
}

/** Returns a section for another time, with a break that is not longer than `maxSeconds`. A section without a time, for at once, stays so. */
export function retimed(info: SpliceInfo, ticks: number, maxSeconds?: number): Buffer {
  const limited = maxSeconds === undefined ? info : shortened(info, maxSeconds * TICKS_PER_SECOND);
  const own = spliceTicks(info);
  const section = encodeSplice(limited);
  return own === undefined ? section : shiftSplice(section, ticks - own)!;
}

function shortened(info: SpliceInfo, ticks: number): SpliceInfo {
  const { command } = info;
  const maxTicks = Math.round(ticks);
  const event = command.kind === 'splice_insert' ? command.event : undefined;
  const descriptors = info.descriptors.map((one) => {
    if (one.kind !== 'segmentation' || (one.event?.durationTicks ?? 0) <= maxTicks) return one;
    return { ...one, event: { ...one.event!, durationTicks: maxTicks } };
  });
  if (command.kind !== 'splice_insert' || event?.breakDuration === undefined) return { ...info, descriptors };
  const breakDuration = { ...event.breakDuration, ticks: Math.min(event.breakDuration.ticks, maxTicks) };
  return { ...info, descriptors, command: { ...command, event: { ...event, breakDuration } } };
}

export interface BreakFacts {
  /** Undefined: the section neither begins nor ends a break. */
  kind: 'out' | 'in' | undefined;
  eventId: number | undefined;
  seconds: number | undefined;
  /** The break ends without another section. */
  endsBySelf: boolean;
}

const { breakStart, providerAdStart, distributorAdStart, providerPlacementStart, distributorPlacementStart } =
  SEGMENTATION_TYPES;
/** The end of each is one more. */
const BREAK_STARTS: number[] = [
  breakStart,
  providerAdStart,
  distributorAdStart,
  providerPlacementStart,
  distributorPlacementStart,
  // Overlay placement opportunities and advertisement blocks, SCTE 35 2023 table 23.
  0x38,
  0x3a,
  0x44,
  0x46,
];

/** Reads the break of a section: that of a splice_insert, or of a segmentation descriptor that begins or ends one. */
export function breakFacts({ command, descriptors }: SpliceInfo): BreakFacts {
  if (command.kind === 'splice_insert' && command.event !== undefined) {
    const { outOfNetwork, breakDuration } = command.event;
    const seconds = breakDuration === undefined ? undefined : breakDuration.ticks / TICKS_PER_SECOND;
    const endsBySelf = breakDuration?.autoReturn === true;
    return { kind: outOfNetwork ? 'out' : 'in', eventId: command.eventId, seconds, endsBySelf };
  }
  for (const one of descriptors) {
    if (one.kind !== 'segmentation' || one.event === undefined) continue;
    const { typeId, durationTicks } = one.event;
    const isOut = BREAK_STARTS.includes(typeId);
    if (!isOut && !BREAK_STARTS.includes(typeId - 1)) continue;
    const seconds = isOut && durationTicks !== undefined ? durationTicks / TICKS_PER_SECOND : undefined;
    // §10.3.3.1: a segment with a duration needs no message at its end.
    return { kind: isOut ? 'out' : 'in', eventId: one.eventId, seconds, endsBySelf: seconds !== undefined };
  }
  const eventId = command.kind === 'splice_insert' ? command.eventId : undefined;
  return { kind: undefined, eventId, seconds: undefined, endsBySelf: false };
}

function sectionOf(value: string): SpliceInfo {
  const data = cueBytes(value);
  if (data === undefined) refuse('The value is neither base64 nor hexadecimal.');
  const { info, refused } = decodeSplice(data);
  if (refused !== undefined) refuse(`The value is no splice_info_section that can be sent: ${REFUSALS[refused]}.`);
  if (info.command.kind === 'splice_null' || info.command.kind === 'other')
    refuse('The value is a section without a break; a splice_insert or a time_signal is needed.');
  return info;
}

function eventIdOf({ id, type }: CueSpec): number | undefined {
  if (id === undefined) return undefined;
  const number = typeof id === 'number' ? id : /^\d{1,10}$/u.test(id) ? Number(id) : NaN;
  if (!(number <= 0xffff_ffff)) refuse(`The id of a ${type} is a whole number below 4294967296, not "${id}".`);
  return number;
}

function tagOf({ name = '', value }: CueSpec): Buffer {
  if (value === undefined) refuse('An ID3Tag needs a value: the text of the tag.');
  if (`${name}${value}`.includes('\0')) refuse('A text in an ID3Tag cannot hold a NUL character.');
  return id3Tag([{ id: 'TXXX', description: name, value }]);
}

function rangeOrder({ name, id, duration, attributes = {} }: CueSpec): CueOrder {
  const pairs = Object.entries(attributes).map(([key, value]) => [attributeName(key), value] as const);
  const names = pairs.map(([key]) => key);
  const twice = names.find((key, i) => names.indexOf(key) !== i);
  if (twice !== undefined) refuse(`The attribute ${twice} is given twice.`);
  for (const text of [name, id, ...pairs.map(([, value]) => value)]) assertQuotable(text);
  const range = { className: name, seconds: duration, attributes: pairs };
  return { kind: 'range', id: id === undefined ? undefined : String(id), range };
}

/** Returns an AttributeName of RFC 8216 §4.2. */
function attributeName(key: string): string {
  const name = key.toUpperCase().replace(/^(?!X-)/u, 'X-');
  if (!/^X-[A-Z0-9-]{1,100}$/u.test(name))
    refuse(`"${key.slice(0, 100)}" is no name of an attribute: letters, digits and hyphens only.`);
  return name;
}

/** HLS has no way to write a double quote or a line break within quotes. */
function assertQuotable(value: string | number | undefined): void {
  if (typeof value === 'number' && !Number.isFinite(value)) refuse(`${value} is no number for a DateRange.`);
  if (typeof value === 'string' && /["\u0000-\u001f\u007f\u2028\u2029]/u.test(value))
    refuse('A text of a DateRange cannot hold double quotes, line breaks or control characters.');
}

function refuse(detail: string): never {
  throw new AppError('rule_violated', detail);
}
