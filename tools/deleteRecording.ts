import { z } from 'zod/v3';
import { deleteRecording as forgetRecording, recordingResource } from '../domain/rules/media/recording.ts';
import { reference } from '../domain/base/schema.ts';
import type { View } from '../domain/ports/store.ts';
import { assertRow, deletedOutput } from '../toolkit/crud.ts';
import { defineTool } from '../toolkit/tool.ts';

export const deleteRecording = defineTool({
  name: 'deleteRecording',
  summary: 'Delete a Recording and its media for good.',
  description:
    'Use it to free the disk of what nobody needs. It is not backed up first, and backups and clips that were made of it stay. ' +
    'Refused (wrong_state) while it is still written, and (unavailable) while the Device that holds it cannot be reached. To keep a ' +
    'part of it use createClip first.',
  tag: 'Recordings',
  aliases: ['archive', 'remove recording', 'erase footage', 'drop VOD', 'free disk space'],
  rest: 'DELETE /recordings/{recordingId}',
  access: 'operator',
  effect: 'delete',
  input: z.object({ recordingId: reference('Recording') }).strict(),
  output: deletedOutput,
  async handle(ctx, { recordingId }) {
    const look = (view: View): ReturnType<typeof assertRow<'recordings'>> => {
      const row = assertRow(view, recordingResource, recordingId, ctx.request.expectedVersions);
      recordingResource.guard?.(row, view);
      return row;
    };
    // The files go first: files on a Device without a row here would be taken for a Recording whose row was lost.
    await ctx.control.recordings.remove(await ctx.store.view(look));
    return ctx.commit((tx, now) => {
      forgetRecording(tx, now, look(tx), `${ctx.caller.username} asked for it.`);
      return { body: { data: { id: recordingId, deleted: true as const } } };
    });
  },
});
