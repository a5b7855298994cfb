import { z } from 'zod/v3';
import { ruleViolated } from '../domain/base/errors.ts';
import { MAX_PLAYBACK_SECONDS, PLAYBACK_SECONDS } from '../domain/shapes/destinations/playback.ts';
import { livestreamResource } from '../domain/rules/broadcasts/livestream.ts';
import { publishingResource } from '../domain/rules/destinations/publishing.ts';
import { instantField, reference } from '../domain/base/schema.ts';
import { getRow } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';
import { called, orList } from '../domain/base/sentence.ts';
import { PACKAGED_TYPES } from '../domain/types/destination-questions.ts';

const linkOutput = z
  .object({
    livestreamId: z.number().int(),
    publishingId: z.number().int(),
    url: z.string().describe('Opens in a player without a sign-in: give it only to who may watch.'),
    device_url: z
      .string()
      .nullable()
      .describe(
        'The same at the Device itself, which changes with the Device; null: url is that, or it is not known yet.',
      ),
    expires_at: instantField.describe('From then on it answers 403.'),
  })
  .strict();

export const createPlaybackLink = defineTool({
  name: 'createPlaybackLink',
  summary: 'Create a time-bound link to watch a Live stream that is not public.',
  description:
    `Use it to share a private broadcast with viewers: a Destination of type ${orList(PACKAGED_TYPES)} with access token, which the Device ` +
    'serves itself. The link plays as it is until it expires and cannot be called back. A public Destination needs none: its refusal names ' +
    'the address. start_livestream answers addresses for right now.',
  tag: 'Live streams',
  aliases: ['private link', 'share a link to watch', 'viewer link', 'watch link', 'playback token', 'invite viewers'],
  rest: 'POST /livestreams/{livestreamId}/playbackLinks',
  access: 'operator',
  effect: 'create',
  secretAnswer: true,
  input: z
    .object({
      livestreamId: reference('Live stream'),
      publishingId: reference('Publishing').describe(
        'Publishing id: a Destination of the Live stream, with access token.',
      ),
      expires_in: z
        .number()
        .int()
        .min(1)
        .max(MAX_PLAYBACK_SECONDS)
        .default(PLAYBACK_SECONDS)
        .describe('Seconds until it expires, 1-604800 (a week); 12 hours when left out.'),
    })
    .strict(),
  output: dataOf(linkOutput),
  async handle(ctx, { livestreamId, publishingId, expires_in: seconds }) {
    const { row: livestream } = await getRow(ctx.store, livestreamResource, livestreamId);
    const { row: publishing } = await getRow(ctx.store, publishingResource, publishingId);
    const group =
      livestream.publishingGroupId === null
        ? undefined
        : (await ctx.store.get('publishingGroups', livestream.publishingGroupId))?.row;
    const bound = [livestream.publishingId, ...(group?.elements ?? [])];
    if (!bound.includes(publishingId))
      throw ruleViolated(
        `${called('Publishing', publishing)} is no Destination of ${called('Live stream', livestream)}.`,
        [{ field: 'publishingId', code: 'not_bound', message: `must be one of ${bound.filter(Boolean).join(', ')}` }],
      );
    const link = ctx.control.playbackLink(livestream, publishing, ctx.clock.now() + seconds * 1000);
    const data = { livestreamId, publishingId, ...link };
    return ctx.commit(() => ({ body: { data } }));
  },
});
