import { encodingResource } from '../domain/rules/encodings/encoding.ts';
import { listTool } from '../toolkit/crud.ts';

export const getAllEncodings = listTool(
  {
    name: 'getAllEncodings',
    summary: 'List the Encodings (renditions).',
    description:
      'Use it to find a rendition by name or to see which exist. For ladders, several renditions bound ' +
      'together, use getAllEncodingGroups. Over MCP it answers 20 short rows a page; fields=* brings the ' +
      'video and audio settings.',
    tag: 'Encodings',
    aliases: [
      'renditions',
      'profiles',
      'encoder presets',
      'rungs',
      'qualities',
      'bitrates',
      'transcoding profiles',
      'list encodings',
    ],
    rest: 'GET /encodings',
    access: 'operator',
  },
  encodingResource,
);
