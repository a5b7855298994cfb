import { encodingResource } from '../domain/rules/encodings/encoding.ts';
import { deleteTool } from '../toolkit/crud.ts';

export const deleteEncoding = deleteTool(
  {
    name: 'deleteEncoding',
    summary: 'Delete an Encoding that no Live stream and no Encoding group uses.',
    description:
      'Use it to remove a rendition for good. It is refused (in_use) while a Live stream or an Encoding group holds it; the answer ' +
      'names them. Free it there first, with updateLivestream or updateEncodingGroup.',
    tag: 'Encodings',
    aliases: ['rendition', 'remove profile', 'drop quality', 'delete rung', 'remove preset'],
    rest: 'DELETE /encodings/{encodingId}',
    access: 'operator',
  },
  encodingResource,
);
