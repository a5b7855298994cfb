import { encodingResource } from '../domain/rules/encodings/encoding.ts';
import { addTool } from '../toolkit/crud.ts';

export const addEncoding = addTool(
  {
    name: 'addEncoding',
    summary: 'Create an Encoding (one rendition).',
    description:
      'Use it for a new quality: codec, bitrate, size, frame rate. Everything but the name has a default ' +
      '(h264 720p 2500 kbit/s, mp4a 128 kbit/s). copy passes the source through. Legacy codecs are refused ' +
      '(mp4v, mpgv, aacp, mpga). Bind several into a ladder with addEncodingGroup.',
    tag: 'Encodings',
    aliases: ['rendition', 'new profile', 'create quality', 'add rung', 'new bitrate', 'transcoding profile', 'preset'],
    rest: 'POST /encodings',
    access: 'operator',
  },
  encodingResource,
);
