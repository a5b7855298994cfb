import { z } from 'zod/v3';
import { channelResource } from '../domain/rules/sources/channel.ts';
import { withNewKey } from '../domain/rules/sources/listening.ts';
import { reference } from '../domain/base/schema.ts';
import { assertRow } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { assertPushed, ingestKeyOutput, wholeKey } from '../toolkit/subjects/ingest-key.ts';
import { defineTool } from '../toolkit/tool.ts';

export const rotateIngestKey = defineTool({
  name: 'rotateIngestKey',
  summary: 'Replace the key that an encoder pushes a Channel with by a new one.',
  description:
    'Use it when the key of an RTMP-Push Channel or an SRT listener may be known to others. The answer shows the new one whole, once. The ' +
    'old one is refused at once; an encoder that is connected with it stays until it leaves, also on air. An SRT listener gets a new ' +
    'streamid, and one that let every caller in asks for it from then on; its passphrase stays. To see the key again: revealIngestKey.',
  tag: 'Channels',
  aliases: [
    'new stream key',
    'reset key',
    'renew ingest key',
    'leaked key',
    'regenerate stream key',
    'lock out sender',
  ],
  rest: 'POST /channels/{channelId}/ingestKey/rotate',
  access: 'operator',
  effect: 'update',
  secretAnswer: true,
  input: z.object({ channelId: reference('Channel') }).strict(),
  output: dataOf(ingestKeyOutput),
  handle: (ctx, { channelId }) =>
    ctx.commit((tx, now) => {
      const present = assertRow(tx, channelResource, channelId, ctx.request.expectedVersions);
      assertPushed(present);
      const row = { ...withNewKey(present), updated_at: now };
      tx.put('channels', row);
      return { body: { data: wholeKey(ctx.control, row) }, version: tx.version('channels', channelId) };
    }),
});
