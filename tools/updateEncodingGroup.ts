import { encodingGroupResource } from '../domain/rules/encodings/encoding-group.ts';
import { updateTool } from '../toolkit/crud.ts';

export const updateEncodingGroup = updateTool(
  {
    name: 'updateEncodingGroup',
    summary: 'Change an Encoding group (ladder): its members, order or name.',
    description:
      'Use it to add or remove rungs. elements is replaced as a whole: send all member ids. Refused (422) for mixed pipelines or when ' +
      'a Live stream could no longer be delivered. What is on air changes at its next start. For a rung itself use updateEncoding.',
    tag: 'Encodings',
    aliases: ['ladder', 'edit ABR ladder', 'add rung', 'remove rung', 'reorder qualities', 'rendition group'],
    rest: 'PUT /encodings/groups/{groupId}',
    access: 'operator',
  },
  encodingGroupResource,
);
