import { channelResource } from '../domain/rules/sources/channel.ts';
import { deleteTool } from '../toolkit/crud.ts';

export const deleteChannel = deleteTool(
  {
    name: 'deleteChannel',
    summary: 'Delete a Channel (source) that no Live stream uses.',
    description:
      'Use it to remove a source for good. It is refused (in_use) while a Live stream is bound to it or has it on air; the ' +
      'answer names them. Bind those to another Channel with updateLivestream first.',
    tag: 'Channels',
    aliases: ['Source', 'remove input', 'delete source', 'drop feed', 'kill source'],
    rest: 'DELETE /channels/{channelId}',
    access: 'operator',
  },
  channelResource,
);
