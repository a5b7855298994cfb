import { z } from 'zod/v3';
import { recordingOutput } from '../domain/shapes/media/recording.ts';
import { presentRecording, recordingResource } from '../domain/rules/media/recording.ts';
import { reference } from '../domain/base/schema.ts';
import { getRow } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getRecording = defineTool({
  name: 'getRecording',
  summary: 'Show one Recording: length, size, qualities, tracks, status and backup.',
  description:
    'Use it when the id is known, for example from getRecordings or recordingId of getLivestreamStatus. While it is still written, length ' +
    'and size are those of now. For the media itself use createRecordingDownload, for a part of it createClip.',
  tag: 'Recordings',
  aliases: ['archive', 'recorded show', 'VOD', 'capture', 'DVR', 'footage', 'recording details'],
  rest: 'GET /recordings/{recordingId}',
  access: 'operator',
  effect: 'read',
  input: z.object({ recordingId: reference('Recording') }).strict(),
  output: dataOf(recordingOutput),
  async handle({ store, control }, { recordingId }) {
    const { row, version } = await getRow(store, recordingResource, recordingId);
    const data = presentRecording(control.measured(row));
    return { body: { data }, version };
  },
});
