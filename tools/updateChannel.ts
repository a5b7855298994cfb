import { channelResource } from '../domain/rules/sources/channel.ts';
import { updateTool } from '../toolkit/crud.ts';

export const updateChannel = updateTool(
  {
    name: 'updateChannel',
    summary: 'Change a Channel (source): its name, type or settings.',
    description:
      'Use it to correct a source. Only the fields sent change. Another type drops settings that it does not know. Masked secrets ' +
      'sent back change nothing. On air it counts from the next start; to cut now use runtimeApplySourceSwitch.',
    tag: 'Channels',
    aliases: ['Source', 'edit input', 'change source url', 'rename source', 'modify feed', 'repoint ingest'],
    rest: 'PUT /channels/{channelId}',
    access: 'operator',
  },
  channelResource,
);
