import { z } from 'zod/v3';
import { encodingCreate, type Encoding } from '../../domain/shapes/encodings/encoding.ts';

const AT = '2026-01-01T00:00:00.000Z';
let nextId = 1;

export function encoding(video: object = {}, audio: object = {}): Encoding {
  return {
    ...z.object(encodingCreate).parse({ name: 'e', settings_video: video, settings_audio: audio }),
    id: nextId++,
    created_at: AT,
    updated_at: AT,
  };
}
