/** How many watch what a Device serves itself: as the Device reports it, as it is kept, and as it is answered. */
import { z } from 'zod/v3';
import { idField, instantField } from '../../base/schema.ts';

/** Players are told apart by the session id of CMCD (CTA-5004), else their token, else address and agent together. */
export const TOLD_APART_BY = ['session', 'token', 'address'] as const;
export type ToldApartBy = (typeof TOLD_APART_BY)[number];

export interface Watched {
  /** Viewers at present. */
  now: number;
  /** Seconds that were watched in this run. */
  seconds: number;
}

/** Sums of the run over players that send CMCD. */
export interface PlayerSums {
  /** Players. */
  sessions: number;
  /** Those of which the time to the first picture is known, and the sum of these times. */
  starts: number;
  start_ms: number;
  stalls: number;
  stalled_ms: number;
  watched_ms: number;
}

/** A Device's report of those who watch a run; all but `now` grows from the beginning of the run. */
export interface ReportedAudience extends Watched {
  /** The most at a time. */
  peak: number;
  /** Sessions that were counted: a player that comes back after its time is a new one. */
  sessions: number;
  /** Present viewers by what they are told apart by. */
  by: Record<ToldApartBy, number>;
  /** `encodingId` is null for those who get sound alone. */
  renditions: (Watched & { encodingId: number | null })[];
  players: (Watched & { player: string })[];
  sums: PlayerSums;
  /** Requests come through a cache or a CDN, which answers viewers by itself. */
  cached: boolean;
}

/** The sums of a run since its beginning. */
export interface AudienceTotals extends Pick<ReportedAudience, 'peak' | 'sessions' | 'seconds' | 'sums'> {
  renditions: [encodingId: number | null, seconds: number][];
  players: [player: string, seconds: number][];
}

/** The totals of a run at an instant, a row a minute in which somebody watched; `peak` is the most at a time since the row before. */
export interface AudienceMinute extends AudienceTotals {
  id: number;
  at: string;
  livestreamId: number;
  runId: string;
}

export function totalsOf({ peak, sessions, seconds, sums, renditions, players }: ReportedAudience): AudienceTotals {
  return {
    peak,
    sessions,
    seconds,
    sums,
    renditions: renditions.map((each) => [each.encodingId, each.seconds]),
    players: players.map((each) => [each.player, each.seconds]),
  };
}

const whole = z.number().int().nonnegative();
const seconds = z.number().nonnegative();

export const audienceTotals = z
  .object({
    peak: whole,
    sessions: whole,
    seconds,
    renditions: z.array(z.tuple([idField.nullable(), seconds])),
    players: z.array(z.tuple([z.string(), seconds])),
    sums: z
      .object({
        sessions: whole,
        starts: whole,
        start_ms: seconds,
        stalls: whole,
        stalled_ms: seconds,
        watched_ms: seconds,
      })
      .strict(),
  })
  .strict();
export const audienceMinute = audienceTotals.extend({
  id: idField,
  at: instantField,
  livestreamId: idField,
  runId: z.string(),
});

const nowField = whole.describe('Viewers at present; 0 off air.');
const minutesField = z.number().describe('Minutes watched, of all viewers together.');

/** In the status of a Live stream. */
export const viewersField = z
  .object({
    now: whole.describe('Viewers at present.'),
    peak: whole.describe('The most at a time in this run.'),
    minutes: minutesField,
  })
  .strict()
  .nullable()
  .describe(
    'Players that watch what its Device serves (HLS, DASH). null: off air, nothing of it is served there, or its Device is too old to count.',
  );
export type ViewersView = z.infer<typeof viewersField>;

export const audienceOutput = z
  .object({
    livestreamId: z.number().int(),
    from: instantField,
    to: instantField,
    now: whole.nullable().describe('Viewers at present; null: off air, or not counted.'),
    peak: whole.describe('The most at a time.'),
    peak_at: instantField.nullable().describe('The minute of the peak; null: nobody watched.'),
    minutes: minutesField,
    sessions: whole.describe('Players that came; one that comes back after some seconds counts again.'),
    told_apart_by: z
      .object({
        session: whole.describe('Players that say their session (CMCD).'),
        token: whole.describe('Links with a token: all who use one count as one.'),
        address: whole.describe(
          'Address and player together: several of one address with the same player count as one.',
        ),
      })
      .strict()
      .describe('Present viewers, by what they are counted by.'),
    renditions: z
      .array(
        z
          .object({
            encodingId: z.number().int().nullable().describe('null: sound alone.'),
            name: z.string(),
            now: nowField,
            minutes: minutesField,
          })
          .strict(),
      )
      .describe('Viewers by Encoding.'),
    players: z
      .array(
        z
          .object({ player: z.string().describe('Name by its requests.'), now: nowField, minutes: minutesField })
          .strict(),
      )
      .describe('Viewers by player.'),
    quality: z
      .object({
        sessions: whole.describe('Players that send CMCD; the rest of this is of them alone.'),
        start_seconds: z.number().nullable().describe('Mean time to the first picture; null: not known.'),
        stalls: whole.describe('Times that a picture stood still for want of data.'),
        stalled_percent: z.number().nullable().describe('Part of the time that was stalled; null: not known.'),
      })
      .strict()
      .describe('How well it played.'),
    minutes_of: z
      .array(
        z
          .object({
            at: instantField.describe('End of the time that it is about.'),
            viewers: z.number().describe('Mean of the time.'),
            peak: whole.describe('The most at a time.'),
          })
          .strict(),
      )
      .describe('The course, oldest first: a minute each, or longer for a long time.'),
    notes: z.array(z.string()).describe('What the figures leave out.'),
  })
  .strict()
  .describe('Who watches, or watched, one Live stream.');
export type AudienceView = z.infer<typeof audienceOutput>;
