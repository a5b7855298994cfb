import { z } from 'zod/v3';
import { filenameField } from '../domain/shapes/media/asset.ts';
import { instantInput } from '../domain/time/instant.ts';
import { LADDER_IDS, TEMPLATE_IDS } from '../domain/shapes/encodings/preset-ids.ts';
import { RECURRENCE_TYPES } from '../domain/time/recurrence.ts';
import { timezoneField } from '../domain/shapes/schedules/schedule.ts';
import { nameField, secretField } from '../domain/base/schema.ts';
import { idOrName } from '../toolkit/subjects/reference.ts';
import { setUpOutput } from '../toolkit/subjects/set-up/answer.ts';
import { findSetUp, waitForSetUp } from '../toolkit/subjects/set-up/outcome.ts';
import { orderSetUp } from '../toolkit/subjects/set-up/order.ts';
import { dryRunField, waitSecondsField } from '../toolkit/subjects/workflow.ts';
import { defineTool } from '../toolkit/tool.ts';
import { INGEST_WORDS } from '../domain/types/channel-questions.ts';

const taken = idOrName.optional();
const destinationFields = {
  template: z.enum(TEMPLATE_IDS).optional().describe('Where to, of listPresets.'),
  url: z.string().trim().min(1).max(2048).optional().describe("Address to deliver to; left out: the template's."),
  stream_key: secretField(1, 255).optional().describe('Key of the platform.'),
  publishingId: taken.describe('Or a Publishing (Destination) that there is: id or name.'),
};
/** A group holds 20, and one of them may record. */
const MAX_DESTINATIONS = 19;

export const setUpBroadcast = defineTool({
  name: 'setUpBroadcast',
  summary: 'Create a whole broadcast from its source, where it goes to and when; start it.',
  description:
    'Use it for a new broadcast: it makes Channel, ladder, Destination, Live stream, with record a Recording, with start_at a Schedule; ' +
    'starts it unless start is false or start_at given. Send one source: a file (multipart over REST, ' +
    'content_base64 over MCP), filename, address, channelId or ingest. Without template and url it is HLS, served here. Parts that there ' +
    'are can be taken; to bind such parts alone: addLivestream. When a step fails, everything is taken back; when the start fails, all ' +
    'stays. dry_run shows plan and source.',
  tag: 'Live streams',
  aliases: [
    'first broadcast',
    'wizard',
    'set up everything',
    'quick start',
    'put a video on air',
    'one step',
    'try it',
  ],
  rest: 'POST /setUp',
  access: 'operator',
  effect: 'create',
  input: z
    .object({
      name: nameField.optional().describe('Name of the broadcast; left out: that of the source.'),
      address: z
        .string()
        .trim()
        .min(1)
        .max(2048)
        .optional()
        .describe('URL of a source: http(s), rtmp(s), rtsp(s), srt, udp or rtp.'),
      filename: filenameField.optional().describe('Asset in the bucket files; with content its name.'),
      content_base64: z
        .string()
        .min(1)
        .max(12_000_000)
        .optional()
        .describe('Video as base64, 8 MB at most once decoded; over REST send a file instead.'),
      channelId: taken.describe('Channel that there is: id or name.'),
      ingest: z.enum(INGEST_WORDS).optional().describe('Listen for an encoder, such as OBS.'),
      ...destinationFields,
      destinations: z
        .array(z.object(destinationFields).strict())
        .min(1)
        .max(MAX_DESTINATIONS)
        .optional()
        .describe('For several: those four of each.'),
      publishingGroupId: taken.describe('Or a group that there is.'),
      quality: z.enum(LADDER_IDS).optional().describe('Ladder of listPresets; left out: no larger than the file.'),
      encodingId: taken.describe('Or an Encoding that there is: id or name.'),
      encodingGroupId: taken.describe('Or a group that there is.'),
      record: z.boolean().default(false).describe('Record it as well.'),
      start_at: instantInput('On air by the clock.', 'timezone').optional(),
      end_at: instantInput('').optional().describe('End, likewise; with start_at.'),
      recurrence: z.enum(RECURRENCE_TYPES).default('none').describe('How it repeats.'),
      timezone: timezoneField.optional().describe("IANA zone; left out: the service's."),
      start: z.boolean().optional().describe('Start it now; left out: unless start_at is given.'),
      deviceId: taken.describe('Device to run on: id or name; left out: the freest.'),
      // A start is given up after 30 s, and its outcome is worth waiting for.
      wait_seconds: waitSecondsField.removeDefault().default(45).describe('Longest wait in seconds.'),
      dry_run: dryRunField,
    })
    .strict(),
  output: setUpOutput,
  async handle(ctx, { wait_seconds, ...input }) {
    if (input.dry_run) return orderSetUp(ctx, input, wait_seconds > 0);
    // The order is durable before the wait, so that a retry after a crash waits for the same set-up.
    const present = await findSetUp(ctx);
    if (present !== undefined) return waitForSetUp(ctx, present, wait_seconds);
    const ordered = await orderSetUp(ctx, input, false);
    return ordered.pending === true ? waitForSetUp(ctx, ordered.body.data.id!, wait_seconds) : ordered;
  },
});
