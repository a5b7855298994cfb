import { z } from 'zod/v3';
import {
  assertReadable,
  clipFields,
  clipName,
  clipNameField,
  clipOutput,
  extentOf,
  segmentsOf,
} from '../domain/shapes/media/clip.ts';
import { noteClip, recordingResource } from '../domain/rules/media/recording.ts';
import { reference } from '../domain/base/schema.ts';
import { getRow } from '../toolkit/crud.ts';
import { chosenNames, keepAsset } from '../toolkit/subjects/new-asset.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const createClip = defineTool({
  name: 'createClip',
  summary: 'Create a clip: cut a piece, or several joined, out of a Recording as a new Asset in the bucket clips.',
  description:
    'Use it for highlights, also while the Recording is still written, up to some seconds ago. The answer comes when the clip is there; progress ' +
    'is told, and a cancelled call leaves nothing. One piece is in and out; several, in any order, are segments. Send it on with exportClip. To hand out the whole Recording use createRecordingDownload.',
  tag: 'Recordings',
  aliases: [
    'highlight',
    'cut',
    'trim',
    'subclip',
    'goal clip',
    'excerpt',
    'snippet',
    'edit out a piece',
    'highlights reel',
    'several pieces in one file',
    'in and out point',
  ],
  rest: 'POST /recordings/{recordingId}/clips',
  access: 'operator',
  effect: 'create',
  input: z
    .object({
      recordingId: reference('Recording'),
      ...clipFields,
      filename: clipNameField.optional(),
    })
    .strict(),
  output: dataOf(clipOutput),
  async handle(ctx, { recordingId, filename: named, mode, trackId, ...cut }) {
    const segments = segmentsOf(cut);
    const { row } = await getRow(ctx.store, recordingResource, recordingId);
    assertReadable(row);
    const names = await chosenNames(ctx, 'clips', named, clipName(row, segments));
    const { progress } = ctx.request;
    const opened = await ctx.control.recordings.open(row, ctx.signal, (done, total) =>
      progress((done / total) * 50, 100, 'the Recording comes from its Device'),
    );
    try {
      const order = { segments, mode, trackId, files: opened.files };
      const clip = await ctx.control.assetFiles.cut(names.filename, order, ctx.signal, (done, total) =>
        progress(50 + (done / total) * 50, 100, `${done.toFixed(1)} of ${total.toFixed(1)} s`),
      );
      const span = { ...extentOf(clip.spans), segments: clip.spans };
      return await keepAsset(ctx, clip, names, (asset, tx, now) => {
        noteClip(tx, now, row, asset.filename, span);
        return { data: { ...asset, recordingId, ...span } };
      });
    } finally {
      await opened.release();
    }
  },
});
