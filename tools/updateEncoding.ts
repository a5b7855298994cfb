import { encodingResource } from '../domain/rules/encodings/encoding.ts';
import { updateTool } from '../toolkit/crud.ts';
import { orList } from '../domain/base/sentence.ts';
import { typesNotCarrying } from '../domain/types/destination-questions.ts';

export const updateEncoding = updateTool(
  {
    name: 'updateEncoding',
    summary: 'Change an Encoding: codec, bitrate, size or other settings.',
    description:
      'Use it to tune a rendition. Only sent fields change, within settings_video and settings_audio too. Refused (422) where it ' +
      `breaks an Encoding group (one pipeline) or a Live stream (AV1 over ${orList(typesNotCarrying('av1'))}). On air it counts ` +
      'from the next start. Ladder: updateEncodingGroup.',
    tag: 'Encodings',
    aliases: ['rendition', 'edit profile', 'change bitrate', 'change resolution', 'tune quality', 'modify preset'],
    rest: 'PUT /encodings/{encodingId}',
    access: 'operator',
  },
  encodingResource,
);
