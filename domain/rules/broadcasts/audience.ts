/** From the rows of the audience, each with the totals of its run, to the figures of a time. */
import { isServed } from '../../types/destination-questions.ts';
import type {
  AudienceMinute,
  AudienceTotals,
  AudienceView,
  PlayerSums,
  ReportedAudience,
  Watched,
} from '../../shapes/broadcasts/audience.ts';
import type { Publishing } from '../../shapes/destinations/publishing.ts';
import { called } from '../../base/sentence.ts';
import { invalidInput } from '../../base/errors.ts';
import { toIso } from '../../time/clock.ts';

const DAY_MS = 86_400_000;
const MAX_DAYS = 31;
const MINUTE_MS = 60_000;
/** A longer course is shown in longer steps. */
const MAX_POINTS = 120;

export interface Window {
  from: string;
  to: string;
}

/** Rows of the window in their order, the last one before it, and what has been watched since the last of them. */
export interface KeptAudience {
  before: Readonly<AudienceMinute> | undefined;
  minutes: readonly Readonly<AudienceMinute>[];
  present: ReportedAudience | undefined;
}

/** From the beginning of the run on air, else a day. Throws AppError invalid_input. */
export function audienceWindow(
  { from, to }: Partial<Window>,
  startedAt: string | null,
  nowMs: number,
): Window & { isNow: boolean } {
  const toMs = Math.min(to === undefined ? nowMs : Date.parse(to), nowMs);
  const usual = startedAt === null ? toMs - DAY_MS : Date.parse(startedAt);
  const fromMs = from === undefined ? Math.max(Math.min(usual, toMs), toMs - MAX_DAYS * DAY_MS) : Date.parse(from);
  const refuse = (code: string, message: string): never => {
    throw invalidInput([{ field: 'from', code, message }]);
  };
  if (fromMs > toMs) refuse('order', `must be earlier than to, and than now; that is ${toIso(toMs)}`);
  if (toMs - fromMs > MAX_DAYS * DAY_MS)
    refuse('too_large', `must be ${MAX_DAYS} days before to at most; ask for the rest apart`);
  return { from: toIso(fromMs), to: toIso(toMs), isNow: toMs === nowMs };
}

export type AudienceFigures = Omit<AudienceView, 'livestreamId' | 'from' | 'to' | 'notes'>;

export function figuresOf(
  { before, minutes, present }: KeptAudience,
  names: ReadonlyMap<number, string>,
): AudienceFigures {
  const steps = stepsOf(before, minutes);
  const all = steps.reduce((sum, { added }) => sumOf(sum, added), NO_TOTALS);
  const top = steps.reduce<Step | undefined>((best, step) => (step.peak > (best?.peak ?? 0) ? step : best), undefined);
  const { sums } = all;
  // Nothing is watched yet by those who have just come.
  const renditions = new Map([
    ...(present?.renditions ?? []).filter(isThere).map(({ encodingId }) => [encodingId, 0] as const),
    ...all.renditions,
  ]);
  const players = new Map([
    ...(present?.players ?? []).filter(isThere).map(({ player }) => [player, 0] as const),
    ...all.players,
  ]);
  return {
    now: present?.now ?? null,
    peak: top?.peak ?? 0,
    peak_at: top?.at ?? null,
    minutes: minutesOf(all.seconds),
    sessions: all.sessions,
    told_apart_by: present?.by ?? { session: 0, token: 0, address: 0 },
    renditions: [...renditions].map(([encodingId, seconds]) => ({
      encodingId,
      name: encodingId === null ? 'sound alone' : (names.get(encodingId) ?? called('Encoding', { id: encodingId })),
      now: present?.renditions.find((each) => each.encodingId === encodingId)?.now ?? 0,
      minutes: minutesOf(seconds),
    })),
    players: [...players].map(([player, seconds]) => ({
      player,
      now: present?.players.find((each) => each.player === player)?.now ?? 0,
      minutes: minutesOf(seconds),
    })),
    quality: {
      sessions: sums.sessions,
      start_seconds: sums.starts === 0 ? null : rounded(sums.start_ms / sums.starts / 1000, 100),
      stalls: sums.stalls,
      stalled_percent:
        sums.watched_ms === 0 ? null : Math.min(100, rounded((100 * sums.stalled_ms) / sums.watched_ms, 100)),
    },
    minutes_of: courseOf(steps),
  };
}

/** Sentences about what the figures leave out. */
export function audienceNotes(
  { told_apart_by: by, now }: Pick<AudienceFigures, 'told_apart_by' | 'now'>,
  present: ReportedAudience | undefined,
  publishings: readonly Readonly<Pick<Publishing, 'name' | 'type' | 'settings'>>[],
  isOnAir: boolean,
): string[] {
  const elsewhere = publishings
    .filter((publishing) => !isServed(publishing))
    .map(({ name, type }) => `${name} (${type})`);
  const isAnyServed = publishings.some(isServed);
  return [
    ...(elsewhere.length === 0
      ? []
      : [`Not counted here, since others deliver it to its viewers, or nobody does: ${elsewhere.join(', ')}.`]),
    ...(isOnAir && isAnyServed && now === null
      ? ['Nobody is counted now: its Device is not heard, or of a version that does not count.']
      : []),
    ...(present?.cached === true
      ? ['Requests come through a cache or a CDN, which answers most viewers itself: its own figures count, not these.']
      : []),
    ...(by.address > 0
      ? [
          'Players that do not say their session (CMCD) are told apart by address and player: several of one address with the same player count as one.',
        ]
      : []),
    ...(by.token > 0 ? ['All who watch by the same link with a token count as one.'] : []),
  ];
}

function isThere({ now }: Watched): boolean {
  return now > 0;
}

interface Step {
  at: string;
  ms: number;
  peak: number;
  added: AudienceTotals;
}

const NO_SUMS: PlayerSums = { sessions: 0, starts: 0, start_ms: 0, stalls: 0, stalled_ms: 0, watched_ms: 0 };
const NO_TOTALS: AudienceTotals = { peak: 0, sessions: 0, seconds: 0, renditions: [], players: [], sums: NO_SUMS };

/** Each row has the totals of its run; those of a run whose Device has lost them begin anew. */
function stepsOf(before: Readonly<AudienceMinute> | undefined, minutes: readonly Readonly<AudienceMinute>[]): Step[] {
  let last = before;
  return minutes.map((minute) => {
    const base = last?.runId === minute.runId && last.seconds <= minute.seconds ? last : undefined;
    // Nothing is written while nobody watches, so that the row before may be hours old.
    const sinceMs = base === undefined ? MINUTE_MS : Date.parse(minute.at) - Date.parse(base.at);
    last = minute;
    const added = sumOf(minute, negative(base ?? NO_TOTALS));
    return { at: minute.at, ms: sinceMs > 3 * MINUTE_MS ? MINUTE_MS : sinceMs, peak: minute.peak, added };
  });
}

function courseOf(steps: readonly Step[]): AudienceView['minutes_of'] {
  const together = Math.max(1, Math.ceil(steps.length / MAX_POINTS));
  const points: AudienceView['minutes_of'] = [];
  for (let at = 0; at < steps.length; at += together) {
    const part = steps.slice(at, at + together);
    const seconds = part.reduce((sum, { added }) => sum + added.seconds, 0);
    const ms = part.reduce((sum, step) => sum + step.ms, 0);
    const peak = Math.max(...part.map((step) => step.peak));
    points.push({
      at: part.at(-1)!.at,
      viewers: ms === 0 ? 0 : Math.min(peak, rounded((1000 * seconds) / ms, 10)),
      peak,
    });
  }
  return points;
}

function sumOf(a: AudienceTotals, b: AudienceTotals): AudienceTotals {
  const sums = { ...a.sums };
  for (const name of Object.keys(sums) as (keyof PlayerSums)[]) sums[name] += b.sums[name];
  return {
    peak: Math.max(a.peak, b.peak),
    sessions: a.sessions + b.sessions,
    seconds: a.seconds + b.seconds,
    renditions: added(a.renditions, b.renditions),
    players: added(a.players, b.players),
    sums,
  };
}

function added<T>(a: readonly [T, number][], b: readonly [T, number][]): [T, number][] {
  const sums = new Map(a);
  for (const [of, seconds] of b) sums.set(of, (sums.get(of) ?? 0) + seconds);
  return [...sums].filter(([, seconds]) => seconds > 0);
}

function negative(totals: AudienceTotals): AudienceTotals {
  const sums = { ...totals.sums };
  for (const name of Object.keys(sums) as (keyof PlayerSums)[]) sums[name] = -sums[name];
  return {
    peak: 0,
    sessions: -totals.sessions,
    seconds: -totals.seconds,
    renditions: totals.renditions.map(([of, seconds]) => [of, -seconds]),
    players: totals.players.map(([of, seconds]) => [of, -seconds]),
    sums,
  };
}

function minutesOf(seconds: number): number {
  return rounded(seconds / 60, 10);
}

function rounded(value: number, parts: number): number {
  return Math.round(value * parts) / parts;
}
