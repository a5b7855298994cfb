import { z } from 'zod/v3';
import { COLLECTIONS } from '../domain/ports/collections.ts';
import { RECORDING_STATUSES, recordingOutput } from '../domain/shapes/media/recording.ts';
import { presentRecording, recordingResource } from '../domain/rules/media/recording.ts';
import { instantInput } from '../domain/time/instant.ts';
import { reference } from '../domain/base/schema.ts';
import { foundBody, instantRange, listOf, pageFields, pageQuery } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getRecordings = defineTool({
  name: 'getRecordings',
  summary: 'List the Recordings: what was kept of past and present broadcasts.',
  description:
    'Use it to find a Recording by Live stream, time or status; sort=-started_at brings the newest first. One that is still written has ' +
    'ended_at null, and its length and size as they are now. Clips are Assets: see listAssets. Over MCP it answers 20 short rows a page.',
  tag: 'Recordings',
  aliases: ['archive', 'recorded shows', 'VOD', 'captures', 'DVR', 'past broadcasts', 'footage'],
  rest: 'GET /recordings',
  access: 'operator',
  effect: 'read',
  input: z
    .object({
      ...pageFields,
      search: pageFields.search.describe('Substring of the name.'),
      livestreamId: reference('Live stream').optional().describe('Only Recordings of this Live stream.'),
      publishingId: reference('Publishing').optional().describe('Only Recordings of this Destination.'),
      status: z.enum(RECORDING_STATUSES).optional().describe('Only Recordings of this status.'),
      from: instantInput('Only Recordings begun at or after it.').optional(),
      to: instantInput('Only Recordings begun before it.').optional(),
    })
    .strict(),
  output: listOf(recordingOutput.partial()),
  shortFields: recordingResource.shortFields,
  async handle({ store, control }, input) {
    const { livestreamId, publishingId, status, from, to } = input;
    const where = { livestreamId, publishingId, status, started_at: instantRange(from, to) };
    const found = await store.find('recordings', pageQuery(input, COLLECTIONS.recordings.indexed, where));
    return { body: foundBody(found, input, (row) => presentRecording(control.measured(row))) };
  },
});
