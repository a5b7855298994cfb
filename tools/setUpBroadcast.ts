import { z } from 'zod/v3';
import { filenameField } from '../domain/asset.ts';
import { nameField, reference } from '../domain/schema.ts';
import { setUpOutput } from '../toolkit/subjects/set-up-answer.ts';
import { findSetUp, waitForSetUp } from '../toolkit/subjects/set-up-outcome.ts';
import { orderSetUp } from '../toolkit/subjects/set-up.ts';
import { dryRunField, waitSecondsField } from '../toolkit/subjects/workflow.ts';
import { defineTool } from '../toolkit/tool.ts';

export const setUpBroadcast = defineTool({
  name: 'setUpBroadcast',
  summary: 'Create a whole first broadcast from a video file or an address, and start it.',
  description:
    'Use it for a first broadcast: it makes the Channel, a ladder, an HLS Destination served here and the Live stream, starts it, and ' +
    'answers each step and where to watch. Send one source: a file (multipart over REST, content_base64 over MCP), the filename of an ' +
    'Asset, or an address. Names that are taken get a number. When a step fails, everything is taken back. For a broadcast of your own ' +
    'parts use addLivestream and start_livestream.',
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
      name: nameField.optional().describe('Name of the broadcast; left out: that of the file, or the host.'),
      address: z
        .string()
        .trim()
        .min(1)
        .max(2048)
        .optional()
        .describe('URL of a source: http(s) (HLS too), rtmp(s), srt, udp or rtp.'),
      filename: filenameField.optional().describe('Asset in the bucket files; with content its name.'),
      content_base64: z
        .string()
        .min(1)
        .max(12_000_000)
        .optional()
        .describe('Video as base64, 8 MB at most once decoded; over REST send a file instead.'),
      deviceId: reference('Device').optional().describe('Device to run on; left out: the freest.'),
      // A start is given up after 30 s, and its outcome is worth waiting for.
      wait_seconds: waitSecondsField.removeDefault().default(45).describe('Longest wait in seconds.'),
      dry_run: dryRunField,
    })
    .strict(),
  output: setUpOutput,
  async handle(ctx, { wait_seconds, ...input }) {
    if (input.dry_run) return orderSetUp(ctx, input);
    // The order is durable before the wait, so that a retry after a crash waits for the same set-up.
    const present = await findSetUp(ctx);
    const id = present ?? (await orderSetUp(ctx, input)).body.data.id!;
    return waitForSetUp(ctx, id, wait_seconds);
  },
});
