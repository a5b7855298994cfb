/** The shared parts of the workflow tools: their fields, and the wait for an outcome. */
import { z } from 'zod/v3';
import { toIso } from '../../domain/time/clock.ts';
import type { Livestream, LivestreamStatus } from '../../domain/shapes/broadcasts/livestream.ts';
import { lastObstacle } from '../../domain/rules/broadcasts/obstacle.ts';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import { instantField } from '../../domain/base/schema.ts';
import { findRow, takeRow, type Found, type Question } from '../input/resolve.ts';
import { quoteReason, type Sentence } from '../sentence.ts';
import type { ToolContext } from '../tool.ts';

/** Below the 300 s after which HTTP clients (undici) give up on a reply that has not begun. */
const MAX_WAIT_SECONDS = 240;
const TICK_MS = 1000;

/** Models often send an id as a number, though the schema says string. Such a number is an id and never a name: `#7`, not `7`. */
export const nameOrId = z.preprocess(
  (value) => (typeof value === 'number' ? `${value >= 0 ? '#' : ''}${value}` : value),
  z.string().trim().min(1).max(100),
);
export const livestreamField = nameOrId.describe('Id or name.');
export const takenForField = z
  .string()
  .optional()
  .describe('Name that was asked for, where no row has it and this is the nearest.');

type Asker = Pick<ToolContext, 'store' | 'request'>;

/** The Live stream that is to be changed. Throws as takeRow does. */
export function takeLivestream(asker: Asker, wanted: string): Promise<Readonly<Livestream>> {
  return takeRow(asker, 'livestreams', livestreamQuestion(asker, wanted));
}

/** The Live stream that is only looked at. Throws as findRow does. */
export function findLivestream(asker: Asker, wanted: string): Promise<Found<Readonly<Livestream>>> {
  return findRow(asker, 'livestreams', livestreamQuestion(asker, wanted));
}

function livestreamQuestion({ request }: Asker, wanted: string): Required<Question> {
  return { wanted, noun: 'Live stream', from: { request, field: 'livestream' } };
}

export const waitSecondsField = z
  .number()
  .int()
  .min(0)
  .max(MAX_WAIT_SECONDS)
  .default(30)
  .describe('Longest wait in seconds.');
export const dryRunField = z.boolean().default(false).describe('Only tell what it does.');
export const messageField = z.string().describe('Fit to be spoken.');
/** A model knows neither clock nor zone, and reckons `in an hour` and `at eight` from these fields. */
export const clockFields = {
  server_time: instantField.describe('Now, UTC.'),
  timezone: z.string().describe("The service's IANA zone."),
};

export function clockOf({ clock, control }: Pick<ToolContext, 'clock' | 'control'>): ServerClock {
  return { server_time: toIso(clock.now()), timezone: control.timezone };
}

interface ServerClock {
  server_time: string;
  timezone: string;
}

/**
 * Waits until the stored status is one of `until`, and reports progress each second, with the obstacle if there is one. Answers the run as
 * it is then.
 */
export async function waitForRun(
  ctx: ToolContext,
  livestreamId: number,
  until: readonly LivestreamStatus[],
  seconds: number,
  { text }: Sentence,
): Promise<Readonly<Run> | undefined> {
  const begunMs = ctx.clock.now();
  for (;;) {
    const run = (await ctx.store.get('runs', livestreamId))?.row;
    const elapsedMs = ctx.clock.now() - begunMs;
    const leftMs = seconds * 1000 - elapsedMs;
    if (until.includes(run?.status ?? 0) || leftMs <= 0 || ctx.signal.aborted) return run;
    const obstacle = await lastObstacle(ctx.store, run, ctx.control.lastReport(livestreamId));
    const message = obstacle === undefined ? text : `${text} ${quoteReason(obstacle).replaceAll('"', '')}.`;
    ctx.request.progress(Math.round(elapsedMs / 1000), seconds, message);
    await ctx.control.waitFor(livestreamId, until, Math.min(TICK_MS, leftMs), ctx.signal);
  }
}
