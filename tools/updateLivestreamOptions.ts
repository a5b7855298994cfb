import { z } from 'zod/v3';
import { livestreamOptions } from '../domain/livestream.ts';
import { livestreamResource, pictureIssues } from '../domain/resources/livestream.ts';
import { assertRules } from '../domain/resources/rules.ts';
import { mergePatch, reference, toPartial } from '../domain/schema.ts';
import { assertRow } from '../toolkit/crud.ts';
import { parseInput } from '../toolkit/input.ts';
import { dataOf } from '../toolkit/page.ts';
import { defineTool } from '../toolkit/tool.ts';

const options = z.object(livestreamOptions).strict();
const livestreamId = reference('Live stream');

export const updateLivestreamOptions = defineTool({
  name: 'updateLivestreamOptions',
  summary: 'Set SCTE markers, crop, fallback, logo or overlay of a Live stream in any status.',
  description:
    'Use it where updateLivestream is refused because the broadcast is not off. Only the fields sent change; null clears crop, logo and overlay. ' +
    'The options are stored at once and in_force tells from when they count: now with status 0, next_start otherwise, because a running ' +
    'encoder keeps what it started with. To change the picture on air use runtimeApplyLogo, runtimeApplyBlackout or setLivestreamText.',
  tag: 'Live streams',
  aliases: [
    'stream options',
    'cue points',
    'crop',
    'fallback slate',
    'set logo',
    'overlay text',
    'picture settings',
    'SCTE-35',
  ],
  rest: 'PUT /livestreams/{livestreamId}/options',
  access: 'operator',
  effect: 'update',
  input: z.object({ livestreamId, ...toPartial(livestreamOptions).shape }).strict(),
  output: dataOf(
    options
      .extend({ livestreamId, in_force: z.enum(['now', 'next_start']).describe('From when the options count.') })
      .strict(),
  ),
  handle: (ctx, { livestreamId: id, ...patch }) =>
    ctx.commit((tx, now) => {
      const present = assertRow(tx, livestreamResource, id, ctx.request.expectedVersion);
      const { scteMarkers, crop, fallback, logo, overlay } = present;
      const merged = parseInput(options, mergePatch({ scteMarkers, crop, fallback, logo, overlay }, patch)) as z.infer<
        typeof options
      >;
      const row = { ...present, ...merged, updated_at: now };
      assertRules(pictureIssues(row, tx));
      tx.put('livestreams', row);
      const in_force = (tx.get('runs', id)?.status ?? 0) === 0 ? ('now' as const) : ('next_start' as const);
      return { body: { data: { livestreamId: id, ...merged, in_force } }, version: tx.version('livestreams', id) };
    }),
});
