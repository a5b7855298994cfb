import { encodingGroupResource } from '../domain/rules/encodings/encoding-group.ts';
import { listTool } from '../toolkit/crud.ts';

export const getAllEncodingGroups = listTool(
  {
    name: 'getAllEncodingGroups',
    summary: 'List the Encoding groups (ladders).',
    description:
      'Use it to find a ladder by name, or to see which Encodings (elements) each holds and in which order. ' +
      'For single renditions use getAllEncodings.',
    tag: 'Encodings',
    aliases: ['ladders', 'ABR ladder', 'adaptive bitrate', 'multi bitrate sets', 'rendition groups', 'quality sets'],
    rest: 'GET /encodings/groups',
    access: 'operator',
  },
  encodingGroupResource,
);
