import { encodingGroupResource } from '../domain/rules/encodings/encoding-group.ts';
import { addTool } from '../toolkit/crud.ts';

export const addEncodingGroup = addTool(
  {
    name: 'addEncodingGroup',
    summary: 'Create an Encoding group (a ladder) from Encodings of one pipeline.',
    description:
      'Use it to deliver several qualities of one Live stream (adaptive bitrate). All members must share one pipeline, that is one ' +
      'video codec; each at most once, six at most. Bind it with encodingGroupId of a Live stream. For one quality bind an Encoding ' +
      'itself (addEncoding).',
    tag: 'Encodings',
    aliases: ['ladder', 'ABR ladder', 'adaptive bitrate', 'new rendition group', 'multi bitrate', 'quality set'],
    rest: 'POST /encodings/groups',
    access: 'operator',
  },
  encodingGroupResource,
);
