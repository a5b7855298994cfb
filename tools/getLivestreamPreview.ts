import { z } from 'zod/v3';
import { instantField, reference } from '../domain/base/schema.ts';
import type { Control } from '../domain/ports/control.ts';
import { livestreamResource } from '../domain/rules/broadcasts/livestream.ts';
import { toIso } from '../domain/time/clock.ts';
import { instantInput } from '../domain/time/instant.ts';
import { getRow } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { pictureBefore } from '../toolkit/subjects/report/report-pictures.ts';
import { defineTool, type Reads } from '../toolkit/tool.ts';

const contentType = 'image/jpeg';

export const getLivestreamPreview = defineTool({
  name: 'getLivestreamPreview',
  summary: 'Show what viewers of a broadcast see now, or saw at an instant, as a picture.',
  description:
    'Use it to look at the programme with logo, text and blackout as it is delivered. Over REST the JPEG itself is sent, over MCP it is an image ' +
    'beside the facts. Now: only in status 2 (on air). With at: the picture that its Device kept last before then; it keeps one a minute (in ' +
    'copy one in five minutes) and those before and after events, 320 pixels wide, for seven days. For figures use getLivestreamStatus.',
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
        .describe('Pixels, 64-1920; never more than it is encoded with. Not for at.'),
      at: instantInput('An instant of the past; left out: now.').optional(),
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
  async handle({ store, control, clock }, { livestreamId, width, at }) {
    const { content, takenMs } =
      at === undefined
        ? { content: await control.preview(livestreamId, width), takenMs: clock.now() }
        : await kept({ store, control }, livestreamId, at);
    const data = {
      livestreamId,
      content_type: contentType,
      size_bytes: content.length,
      taken_at: toIso(takenMs),
    } as const;
    return { body: { data }, file: { content, contentType } };
  },
});

async function kept(
  { store, control }: { store: Reads; control: Control },
  livestreamId: number,
  at: string,
): Promise<{ content: Buffer; takenMs: number }> {
  const { row } = await getRow(store, livestreamResource, livestreamId);
  const { jpeg, atSeconds } = await pictureBefore({ store, control }, row, at);
  return { content: jpeg, takenMs: atSeconds * 1000 };
}
