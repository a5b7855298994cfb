import { z } from 'zod/v3';
import { toIso } from '../domain/time/clock.ts';
import { instantField, reference } from '../domain/base/schema.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

const contentType = 'image/jpeg';

export const getChannelPreview = defineTool({
  name: 'getChannelPreview',
  summary: 'Show the picture of a Channel (source): of now while it is received or on air, else of the last probe.',
  description:
    'Use it to see a camera or feed before the air. One that is not pushed needs probeChannel first, whose picture is kept for 60 seconds; without one it is 404. ' +
    'Over REST the JPEG itself is sent, over MCP it is an image beside the facts. For what viewers see use getLivestreamPreview.',
  tag: 'Channels',
  aliases: ['picture of the source', 'input thumbnail', 'camera snapshot', 'confidence picture', 'source screenshot'],
  rest: 'GET /channels/{channelId}/preview',
  access: 'operator',
  effect: 'read',
  input: z
    .object({
      channelId: reference('Channel'),
      width: z.number().int().min(64).max(1920).default(640).describe('Pixels, 64-1920, of a picture of now.'),
    })
    .strict(),
  output: dataOf(
    z
      .object({
        channelId: z.number().int(),
        content_type: z.literal(contentType).describe('Media type of the picture.'),
        size_bytes: z.number().int().nonnegative().describe('Size of the picture in bytes.'),
        taken_at: instantField,
      })
      .strict(),
  ),
  async handle({ control }, { channelId, width }) {
    const { content, takenAt } = await control.channelPicture(channelId, width);
    const data = {
      channelId,
      content_type: contentType,
      size_bytes: content.length,
      taken_at: toIso(takenAt),
    } as const;
    return { body: { data }, file: { content, contentType } };
  },
});
