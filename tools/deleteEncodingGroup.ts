import { encodingGroupResource } from '../domain/rules/encodings/encoding-group.ts';
import { deleteTool } from '../toolkit/crud.ts';

export const deleteEncodingGroup = deleteTool(
  {
    name: 'deleteEncodingGroup',
    summary: 'Delete an Encoding group (ladder) that no Live stream uses.',
    description:
      'Use it to remove a ladder; its Encodings stay. It is refused (in_use) while a Live stream is bound to it; the answer names ' +
      'them. To take out single rungs use updateEncodingGroup.',
    tag: 'Encodings',
    aliases: ['ladder', 'remove ABR ladder', 'drop rendition group', 'delete quality set'],
    rest: 'DELETE /encodings/groups/{groupId}',
    access: 'operator',
  },
  encodingGroupResource,
);
