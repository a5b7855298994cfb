import { channelResource } from '../domain/rules/sources/channel.ts';
import { getTool } from '../toolkit/crud.ts';

export const getChannelById = getTool(
  {
    name: 'getChannelById',
    summary: 'Show one Channel (source) with its settings.',
    description:
      'Use it when the id is known and the settings matter: URL, port, file, input. Stream keys and ' +
      'credentials in URLs are answered masked, passphrases as has_passphrase. To find a Channel by its ' +
      'name use getAllChannels with search.',
    tag: 'Channels',
    aliases: ['Source', 'input', 'feed', 'ingest settings', 'show source', 'source details'],
    rest: 'GET /channels/{channelId}',
    access: 'operator',
  },
  channelResource,
);
