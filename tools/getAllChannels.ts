import { channelResource } from '../domain/rules/sources/channel.ts';
import { listTool } from '../toolkit/crud.ts';

export const getAllChannels = listTool(
  {
    name: 'getAllChannels',
    summary: 'List the Channels (sources).',
    description:
      'Use it to find a source by name or type, or to see which sources exist. It answers configuration, ' +
      'not signal: whether a source is being received is in getLivestreamStatus. Over MCP it answers 20 ' +
      'short rows a page; ask for more with pageSize, fields and page.',
    tag: 'Channels',
    aliases: ['Sources', 'inputs', 'feeds', 'ingests', 'cameras', 'list sources', 'show channels', 'contribution'],
    rest: 'GET /channels',
    access: 'operator',
  },
  channelResource,
);
