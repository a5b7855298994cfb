import { z } from 'zod/v3';
import { toIso } from '../domain/time/clock.ts';
import { instantField, reference } from '../domain/base/schema.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

const contentType = 'image/jpeg';

export const getLivestreamPreview = defineTool({
  name: 'getLivestreamPreview',
  summary: 'Show what viewers of a broadcast on air see now, as a picture.',
  description:
    'Use it to look at the programme with logo, text and blackout as it is delivered. Over REST the JPEG itself is sent, over MCP it is an image ' +
    'beside the facts. Only in status 2 (on air). For figures use getLivestreamStatus.',
  tag: 'Live streams',
  aliases: [
    'screenshot',
    'thumbnail',
    'snapshot',
    'what do viewers see',
    'picture of the stream',
    'still',
    'frame grab',
  ],
  rest: 'GET /livestreams/{livestreamId}/preview',
  access: 'operator',
  effect: 'read',
  input: z
    .object({
      livestreamId: reference('Live stream'),
      width: z
        .number()
        .int()
        .min(64)
        .max(1920)
        .default(640)
        .describe('Pixels, 64-1920; never more than it is encoded with.'),
    })
    .strict(),
  output: dataOf(
    z
      .object({
        livestreamId: z.number().int(),
        content_type: z.literal(contentType).describe('Media type of the picture.'),
        size_bytes: z.number().int().nonnegative().describe('Size of the picture in bytes.'),
        taken_at: instantField,
      })
      .strict(),
  ),
  async handle({ control, clock }, { livestreamId, width }) {
    const content = await control.preview(livestreamId, width);
    const data = {
      livestreamId,
      content_type: contentType,
      size_bytes: content.length,
      taken_at: toIso(clock.now()),
    } as const;
    return { body: { data }, file: { content, contentType } };
  },
});
