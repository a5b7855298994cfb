import { z } from 'zod/v3';
import { AppError } from '../domain/base/errors.ts';
import { called, ended } from '../domain/base/sentence.ts';
import { idField, reference } from '../domain/base/schema.ts';
import { livestreamResource } from '../domain/rules/broadcasts/livestream.ts';
import { assertRow } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

/** A new encoder has 30 s to show a picture, and what follows is bounded by as many. */
const WAIT_MS = 75_000;

export const moveLivestream = defineTool({
  name: 'moveLivestream',
  summary: 'Move a broadcast on air to another Device (encoder), with a second or less without a picture.',
  description:
    'Use it before work on an encoder, or to make room there. The other Device takes the source first; only then the present one stops ' +
    'delivering. It answers once the broadcast is delivered from there; where it comes to nothing, it stays where it is and the answer says ' +
    'why. Refused for a pushed source without backupDeviceId, and with an open Recording where no bucket keeps it (ONAIR_MEDIA) and force is ' +
    'not set. Viewers of what a Device serves itself need the new address. To empty a whole Device: drainDevice.',
  tag: 'Live streams',
  aliases: ['migrate', 'hand over', 'other encoder', 'relocate', 'switch encoder', 'change machine', 'transfer'],
  rest: 'POST /livestreams/{livestreamId}/move',
  access: 'operator',
  effect: 'control',
  input: z
    .object({
      livestreamId: reference('Live stream'),
      deviceId: reference('Device')
        .nullable()
        .optional()
        .describe('Where to; left out: backupDeviceId, else the least loaded that may take it.'),
      force: z
        .boolean()
        .default(false)
        .describe(
          'Its Device does not answer: start elsewhere all the same (if it still delivers, Destinations get it twice). Or: its Recording may be cut in two.',
        ),
    })
    .strict(),
  output: dataOf(
    z
      .object({
        livestreamId: idField.describe('Live stream.'),
        deviceId: idField.nullable().describe('Device that it is on now; null: it is being started.'),
        formerDeviceId: idField.nullable().describe('Device that it was on.'),
        gap_ms: z
          .number()
          .int()
          .nullable()
          .describe('Time without a picture at its Destinations; null: not known, or none was due.'),
        forced: z.boolean().describe('Its former Device was not asked, and may still deliver.'),
      })
      .strict(),
  ),
  async handle(ctx, { livestreamId, deviceId, force }) {
    const { username: by } = ctx.caller;
    let moveId = '';
    let livestream = '';
    const ordered = await ctx.commit((tx, now) => {
      livestream = called('Live stream', assertRow(tx, livestreamResource, livestreamId, undefined));
      const formerDeviceId = tx.get('runs', livestreamId)?.deviceId ?? null;
      const order = ctx.control.orderMove(tx, now, { livestreamId, deviceId, force, by, moveId: ctx.request.changeId });
      ({ moveId } = order);
      const run = tx.get('runs', livestreamId);
      const to = order.isForced ? (run?.deviceId ?? null) : null;
      const data = { livestreamId, deviceId: to, formerDeviceId, gap_ms: null, forced: order.isForced };
      return { body: { data }, ...(!order.isForced && { pending: true }) };
    });
    if (ordered.body.data.forced) return ordered;
    const moved = await ctx.control.waitForMove(livestreamId, moveId, WAIT_MS, ctx.signal);
    if (moved === undefined) throw unknown(livestream);
    if (moved.error !== null) throw stays(livestream, moved.error);
    const { from, to, gap_ms } = moved;
    return { body: { data: { livestreamId, deviceId: to, formerDeviceId: from, gap_ms, forced: false } } };
  },
});

function stays(livestream: string, why: string): AppError {
  const detail = `${livestream} stays where it was, and goes on: ${ended(why)}`;
  return new AppError('upstream_failed', detail, { remedy: 'Mend what the detail names, or name another Device.' });
}

function unknown(livestream: string): AppError {
  return new AppError('conflict', `${livestream} has ended, or its move goes on; see getLivestreamStatus.`);
}
