import { z } from 'zod/v3';
import { recordingTrackOutput } from '../domain/recording.ts';
import { recordingResource } from '../domain/resources/recording.ts';
import { reference } from '../domain/schema.ts';
import { getRow } from '../toolkit/crud.ts';
import { listOf, pageBody, pageFields } from '../toolkit/page.ts';
import { defineTool } from '../toolkit/tool.ts';

const { page, pageSize, fields } = pageFields;

export const getRecordingTracks = defineTool({
  name: 'getRecordingTracks',
  summary: 'List the tracks of a Recording: its pictures and sounds, with codec, rate and size.',
  description:
    'Use it to see which qualities and sounds are in the file, or to choose a trackId. While it is still written they are those that were ' +
    'ordered; once it is finished, what was found in the file. Over MCP it answers 20 rows a page.',
  tag: 'Recordings',
  aliases: ['archive', 'streams in file', 'audio tracks', 'renditions', 'codecs', 'qualities'],
  rest: 'GET /recordings/{recordingId}/tracks',
  access: 'operator',
  effect: 'read',
  input: z.object({ recordingId: reference('Recording'), page, pageSize, fields }).strict(),
  output: listOf(recordingTrackOutput.partial()),
  shortFields: ['trackId', 'kind', 'codec', 'bitrate_kbps', 'width', 'height'],
  async handle({ store }, { recordingId, ...asked }) {
    const { tracks } = (await getRow(store, recordingResource, recordingId)).row;
    const from = (asked.page - 1) * asked.pageSize;
    return { body: pageBody(tracks.slice(from, from + asked.pageSize), tracks.length, asked) };
  },
});
