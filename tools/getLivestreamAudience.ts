import { z } from 'zod/v3';
import { audienceOutput, totalsOf, type AudienceMinute } from '../domain/shapes/broadcasts/audience.ts';
import type { RunReport } from '../domain/shapes/broadcasts/run.ts';
import type { Publishing } from '../domain/shapes/destinations/publishing.ts';
import {
  audienceNotes,
  audienceWindow,
  figuresOf,
  type KeptAudience,
  type Window,
} from '../domain/rules/broadcasts/audience.ts';
import { boundPublishings } from '../domain/rules/broadcasts/bindings.ts';
import { livestreamResource } from '../domain/rules/broadcasts/livestream.ts';
import { instantInput } from '../domain/time/instant.ts';
import { reference } from '../domain/base/schema.ts';
import { assertRow } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { audienceRows } from '../toolkit/subjects/audience.ts';
import { defineTool, type Reads, type ToolContext } from '../toolkit/tool.ts';

export const getLivestreamAudience = defineTool({
  name: 'getLivestreamAudience',
  summary: 'Count who watches, or watched, one Live stream: viewers, peak, minutes, renditions, players, stalls.',
  description:
    'Use it for how many watch now, how many watched last night, by which player, and how well it played. It counts players of what the ' +
    'Device serves (HLS, DASH); platforms count those of RTMP, SRT and UDP Destinations. Without from and to: the run on air, else the ' +
    'last 24 hours. `notes` say what is left out. Kept for 90 days, to the minute. What viewers missed: getRunReport.',
  tag: 'Live streams',
  aliases: [
    'viewers',
    'how many are watching',
    'audience',
    'view count',
    'ratings',
    'viewing figures',
    'who watches',
    'buffering',
  ],
  rest: 'GET /livestreams/{livestreamId}/audience',
  access: 'operator',
  effect: 'read',
  input: z
    .object({
      livestreamId: reference('Live stream'),
      from: instantInput('Begin of the time.').optional(),
      to: instantInput('End of the time, at most 31 days after from; left out: now.').optional(),
    })
    .strict(),
  output: dataOf(audienceOutput),
  async handle(ctx, { livestreamId, from, to }) {
    const { startedAt, publishings, isOnAir, isCounted } = await subjectOf(ctx, livestreamId);
    const window = audienceWindow({ from, to }, startedAt, ctx.clock.now());
    const report = isCounted && window.isNow ? ctx.control.lastReport(livestreamId) : undefined;
    const kept = await keptIn(ctx.store, livestreamId, window, report);
    const figures = figuresOf(kept, await namesIn(ctx.store, kept.minutes));
    const notes = audienceNotes(figures, kept.present, publishings, isOnAir);
    return { body: { data: { livestreamId, from: window.from, to: window.to, ...figures, notes } } };
  },
});

interface Subject {
  /** null: it is off air. */
  startedAt: string | null;
  publishings: Publishing[];
  isOnAir: boolean;
  isCounted: boolean;
}

function subjectOf({ store, control }: Pick<ToolContext, 'store' | 'control'>, livestreamId: number): Promise<Subject> {
  return store.view((view) => {
    const livestream = assertRow(view, livestreamResource, livestreamId, undefined);
    const run = view.get('runs', livestreamId);
    const { status, on_air: isOnAir, viewers } = control.status(livestream, run);
    return {
      startedAt: status === 0 ? null : (run?.started_at ?? null),
      publishings: boundPublishings(view, livestream),
      isOnAir,
      isCounted: viewers !== null,
    };
  });
}

/** The present report, if any, is the last of the rows. */
async function keptIn(
  store: Reads,
  livestreamId: number,
  window: Window,
  report: RunReport | undefined,
): Promise<KeptAudience> {
  const { before, minutes } = await audienceRows(store, livestreamId, window);
  const present = report?.audience;
  const now: AudienceMinute[] = [];
  if (report !== undefined && present !== undefined) {
    const { runId } = report;
    const isWhole = before?.runId !== runId;
    // A peak of the whole run that no row has came since the last of them.
    const isNew = isWhole && minutes.every((row) => row.runId !== runId || row.peak < present.peak);
    now.push({
      id: 0,
      at: window.to,
      livestreamId,
      runId,
      ...totalsOf(present),
      peak: isNew ? present.peak : present.now,
    });
  }
  return { before, minutes: [...minutes, ...now], present };
}

async function namesIn(store: Reads, minutes: KeptAudience['minutes']): Promise<ReadonlyMap<number, string>> {
  const ids = new Set(minutes.flatMap(({ renditions }) => renditions.flatMap(([encodingId]) => encodingId ?? [])));
  return new Map((await store.getMany('encodings', [...ids])).map(({ id, name }) => [id, name]));
}
