import { z } from 'zod/v3';
import { channelResource } from '../domain/rules/sources/channel.ts';
import { reference } from '../domain/base/schema.ts';
import { assertRow } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { assertPushed, ingestKeyOutput, wholeKey } from '../toolkit/subjects/ingest-key.ts';
import { defineTool } from '../toolkit/tool.ts';

export const revealIngestKey = defineTool({
  name: 'revealIngestKey',
  summary: 'Show the whole address and key that an encoder pushes a Channel to.',
  description:
    'Use it to set up OBS or another encoder for an RTMP-Push Channel or an SRT listener, whose key is masked everywhere else. Nothing is ' +
    'replaced; each call is in the audit. stream_key is the streamid of an SRT listener. When the key may be known to others: rotateIngestKey. Whether anything ' +
    'comes in is in ingest of getChannelById.',
  tag: 'Channels',
  aliases: ['show stream key', 'OBS key', 'encoder settings', 'ingest key', 'ingest url', 'push address', 'whole key'],
  rest: 'POST /channels/{channelId}/ingestKey/reveal',
  access: 'operator',
  effect: 'control',
  secretAnswer: true,
  input: z.object({ channelId: reference('Channel') }).strict(),
  output: dataOf(ingestKeyOutput),
  handle: (ctx, { channelId }) =>
    ctx.commit((tx) => {
      const row = assertRow(tx, channelResource, channelId, ctx.request.expectedVersions);
      assertPushed(row);
      return { body: { data: wholeKey(ctx.control, row) } };
    }),
});
