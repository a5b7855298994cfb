import { encodingResource } from '../domain/rules/encodings/encoding.ts';
import { getTool } from '../toolkit/crud.ts';

export const getEncodingById = getTool(
  {
    name: 'getEncodingById',
    summary: 'Show one Encoding (rendition) with its video and audio settings.',
    description:
      'Use it when the id is known and codec, bitrate, size, frame rate or keyframe interval matter. ' +
      'pipeline says which Encoding groups it fits into. To find one by its name use getAllEncodings with ' +
      'search.',
    tag: 'Encodings',
    aliases: ['rendition', 'profile details', 'rung', 'quality settings', 'codec', 'bitrate'],
    rest: 'GET /encodings/{encodingId}',
    access: 'operator',
  },
  encodingResource,
);
