import { z } from 'zod/v3';
import { livestreamOptions, type Livestream } from '../domain/shapes/broadcasts/livestream.ts';
import { alarmsOf, withAlarms } from '../domain/rules/broadcasts/alarms.ts';
import type { Alarms } from '../domain/shapes/broadcasts/sound.ts';
import { livestreamResource, pictureIssues } from '../domain/rules/broadcasts/livestream.ts';
import { assertRules } from '../domain/rules/rows/references.ts';
import { mergePatch, reference, toPartial } from '../domain/base/schema.ts';
import type { View } from '../domain/ports/store.ts';
import { assertRow } from '../toolkit/crud.ts';
import { parseInput } from '../toolkit/input/input.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

const options = z.object(livestreamOptions).strict();
type Options = z.infer<typeof options>;

export const updateLivestreamOptions = defineTool({
  name: 'updateLivestreamOptions',
  summary: 'Set SCTE markers, crop, fallback, failover, sound, alarms, logo or overlay of a Live stream in any status.',
  description:
    'Use it for what shall last beyond the present run, on air too. Only the fields sent change; null clears crop, logo and overlay. They are ' +
    'stored, and on air the encoder takes them at once: in_force says now when it has confirmed all of them, else next_start, with notes that ' +
    'name what it could not take. For the present run alone use runtimeApplyLogo or setLivestreamText.',
  tag: 'Live streams',
  aliases: [
    'stream options',
    'cue points',
    'crop',
    'fallback slate',
    'failover',
    'gain',
    'mute',
    'lip sync',
    'set logo',
    'overlay text',
    'picture settings',
    'SCTE-35',
  ],
  rest: 'PUT /livestreams/{livestreamId}/options',
  access: 'operator',
  effect: 'update',
  input: z.object({ livestreamId: reference('Live stream'), ...toPartial(livestreamOptions).shape }).strict(),
  output: dataOf(
    options
      .extend({
        livestreamId: reference('Live stream'),
        in_force: z.enum(['now', 'next_start']).describe('From when the options count.'),
        notes: z.array(z.string()).describe('Options that count from the next start, and why.'),
      })
      .strict(),
  ),
  async handle(ctx, { livestreamId: id, ...patch }) {
    const { expectedVersions, changeId } = ctx.request;
    const body = await ctx.store.view((view) => optionsOf(changed(view, id, patch, expectedVersions)));
    return ctx.control.changeLive(
      id,
      { kind: 'options', body, by: ctx.caller.username },
      ({ missed, settle }) =>
        ctx.commit((tx, now) => {
          const row = changed(tx, id, patch, expectedVersions);
          const status = tx.get('runs', id)?.status ?? 0;
          settle(tx);
          tx.put('livestreams', { ...row, updated_at: now });
          const in_force = status === 0 || missed.length === 0 ? ('now' as const) : ('next_start' as const);
          const data = { livestreamId: id, ...optionsOf(row), in_force, notes: status === 0 ? [] : missed };
          return { body: { data }, version: tx.version('livestreams', id) };
        }),
      changeId,
    );
  },
});

/** Throws AppError not_found, version_mismatch, invalid_input or rule_violated. */
function changed(
  view: View,
  id: number,
  patch: { alarms?: Partial<Alarms> | undefined },
  expectedVersions: readonly number[] | undefined,
): Livestream {
  const present = assertRow(view, livestreamResource, id, expectedVersions);
  const merged = parseInput(options, mergePatch(optionsOf(present), patch)) as Options;
  const row = withAlarms({ ...present, ...merged }, present, patch.alarms);
  assertRules(pictureIssues(row, view));
  return row;
}

function optionsOf(row: Readonly<Livestream>): Options {
  const { scteMarkers, crop, fallback, failover, sound, detect, logo, overlay } = row;
  return { scteMarkers, crop, fallback, failover, sound, detect, logo, overlay, alarms: alarmsOf(row) };
}
