import { dropBackup } from '../domain/rules/broadcasts/last-start.ts';
import { publishingResource } from '../domain/rules/destinations/publishing.ts';
import { noteStoredChange } from '../domain/rules/destinations/publishing-change.ts';
import { updateTool } from '../toolkit/crud.ts';

export const updatePublishing = updateTool(
  {
    name: 'updatePublishing',
    summary: 'Change a Publishing (Destination): URL, stream key, retry budget or other settings.',
    description:
      'Use it to correct an output. Only the fields sent change; masked secrets sent back change nothing. A ' +
      'Live stream on air goes on with what it was started with, until its next start. For a key at once: ' +
      'update_destination_stream_key.',
    tag: 'Publishings',
    aliases: ['Destination', 'edit output', 'change target url', 'new stream key', 'modify restream', 'change CDN'],
    rest: 'PUT /publishings/{publishingId}',
    access: 'operator',
  },
  publishingResource,
  (tx, row, { before, ctx, now }) => {
    const { username } = ctx.caller;
    noteStoredChange(tx, now, username, before, row);
    return dropBackup(tx, row.id, now, username);
  },
  true,
);
