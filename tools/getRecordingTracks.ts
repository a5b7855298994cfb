import { z } from 'zod/v3';
import { recordingTrackOutput, type RecordingTrack } from '../domain/shapes/media/recording.ts';
import { recordingResource } from '../domain/rules/media/recording.ts';
import { reference } from '../domain/base/schema.ts';
import { getRow } from '../toolkit/crud.ts';
import { listOf, pageBody, pageFields, pageQuery, type PageInput } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getRecordingTracks = defineTool({
  name: 'getRecordingTracks',
  summary: 'List the tracks of a Recording: its pictures and sounds, with codec, rate and size.',
  description:
    'Use it to see which qualities and sounds are in the file, or to choose a trackId. While it is still written they are those that ' +
    'were ordered; once it is finished, what was found in the file. Over MCP it answers 20 rows a page. For the Recording as a whole ' +
    'use getRecording.',
  tag: 'Recordings',
  aliases: ['archive', 'streams in file', 'audio tracks', 'renditions', 'codecs', 'qualities'],
  rest: 'GET /recordings/{recordingId}/tracks',
  access: 'operator',
  effect: 'read',
  input: z
    .object({
      recordingId: reference('Recording'),
      ...pageFields,
      search: pageFields.search.describe('Substring of the codec.'),
    })
    .strict(),
  output: listOf(recordingTrackOutput.partial()),
  shortFields: ['trackId', 'kind', 'codec', 'bitrate_kbps', 'width', 'height'],
  async handle({ store }, { recordingId, ...page }) {
    const { tracks } = (await getRow(store, recordingResource, recordingId)).row;
    const found = matchingTracks(tracks, page);
    const from = (page.page - 1) * page.pageSize;
    return { body: pageBody(found.slice(from, from + page.pageSize), found.length, page) };
  },
});

/** Throws AppError invalid_input for another sort field. */
function matchingTracks(tracks: readonly RecordingTrack[], page: PageInput): RecordingTrack[] {
  const { search = '', sort } = pageQuery(page, ['kind', 'codec', 'bitrate_kbps']);
  const field = (sort === undefined || sort.field === 'id' ? 'trackId' : sort.field) as keyof RecordingTrack;
  const sign = sort?.descending === true ? -1 : 1;
  const value = (track: RecordingTrack): string | number => track[field] ?? 0;
  return tracks
    .filter(({ codec }) => codec.toLowerCase().includes(search.toLowerCase()))
    .sort((a, b) => (value(a) === value(b) ? a.trackId - b.trackId : value(a) < value(b) ? -sign : sign));
}
