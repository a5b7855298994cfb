import { z } from 'zod/v3';
import { channelOutput, presentChannel } from '../domain/shapes/sources/channel.ts';
import { COLLECTIONS } from '../domain/ports/collections.ts';
import { livestreamOutput, type LivestreamView } from '../domain/shapes/broadcasts/livestream.ts';
import { presentPublishing, publishingOutput } from '../domain/shapes/destinations/publishing.ts';
import { boundPublishings, relatedPublishings } from '../domain/rules/broadcasts/bindings.ts';
import {
  livestreamResource,
  livestreamSearch,
  livestreamWhere,
  statusFilter,
} from '../domain/rules/broadcasts/livestream.ts';
import { lookupOf } from '../toolkit/crud.ts';
import { foundBody, listOf, pageFields, pageQuery } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';
import { viewOf } from '../toolkit/output/views.ts';

const embedded = {
  channel: channelOutput.optional().describe('The Channel, with includeChannel.'),
  destinations: z.array(publishingOutput).optional().describe('The Publishings, with includeDestinations.'),
};

export const getAllLivestreams = defineTool({
  name: 'getAllLivestreams',
  summary: 'List the Live streams with their status.',
  description:
    'Use it to see what is on air (status=2), what has failed (status=3), or to find a broadcast by name or binding. ' +
    'For frames, bitrates and the state of each Destination use getLivestreamsStatus. ' +
    'Over MCP it answers 20 short rows a page; fields=* brings all fields.',
  tag: 'Live streams',
  aliases: ['broadcasts', 'events', 'on air', 'what is live', 'list streams', 'shows', 'running streams', 'programmes'],
  rest: 'GET /livestreams',
  access: 'operator',
  effect: 'read',
  input: z
    .object({
      ...pageFields,
      search: livestreamSearch,
      status: statusFilter,
      ...livestreamResource.filters,
      includeDestinations: z.boolean().default(false).describe('Embed the bound Publishings as destinations.'),
      includeChannel: z.boolean().default(false).describe('Embed the Channel as channel.'),
    })
    .strict(),
  output: listOf(livestreamOutput.extend(embedded).partial()),
  shortFields: [...livestreamResource.shortFields, ...Object.keys(embedded)],
  async handle({ store, control }, input) {
    const found = await store.find(
      'livestreams',
      pageQuery(input, COLLECTIONS.livestreams.indexed, await livestreamWhere(store, input)),
    );
    const runs = await lookupOf(store, livestreamResource, found.rows);
    const channels = input.includeChannel
      ? await store.getMany(
          'channels',
          found.rows.map((row) => row.channelId),
        )
      : [];
    const publishings = input.includeDestinations ? await relatedPublishings(store, found.rows) : undefined;
    const body = foundBody(found, input, (row) => {
      const view = viewOf(livestreamResource, row, runs) as LivestreamView;
      if (!input.includeChannel && !input.includeDestinations) return view;
      const channel = channels.find(({ id }) => id === row.channelId);
      return {
        ...view,
        ...(channel && { channel: { ...presentChannel(channel), ingest: control.ingest(channel) } }),
        ...(publishings && { destinations: boundPublishings(publishings, row).map(presentPublishing) }),
      };
    });
    return { body };
  },
});
