import { encodingCreate, encodingGroupCreate } from '../../domain/shapes/encodings/encoding.ts';
import { livestreamCreate } from '../../domain/shapes/broadcasts/livestream.ts';
import { publishingCreate } from '../../domain/shapes/destinations/publishing.ts';
import type { Store } from '../../domain/ports/store.ts';
import { z } from 'zod/v3';

const AT = '2026-01-01T00:00:00.000Z';
const stamps = { created_at: AT, updated_at: AT };
const complete = <S extends z.ZodRawShape>(shape: S, given: object): z.infer<z.ZodObject<S>> =>
  z.object(shape).parse(given) as never;

/** A Live stream with everything it is bound to, straight into the store; `mark` keeps names unique. Answers its id. */
export function seedBroadcast(store: Store, mark = ''): Promise<number> {
  return store.tx((tx) => {
    const channel = tx.insert('channels', {
      ...stamps,
      name: `Channel${mark}`,
      alias: null,
      description: null,
      type: 'Stream',
      settings: { url: 'http://127.0.0.1:9/live.m3u8' },
      enabled: true,
      deviceId: null,
    });
    const elements = [720, 360].map(
      (height) =>
        tx.insert('encodings', {
          ...stamps,
          ...complete(encodingCreate, { name: `${height}p${mark}`, settings_video: { height, bitrate: height * 3 } }),
        }).id,
    );
    const group = tx.insert('encodingGroups', {
      ...stamps,
      ...complete(encodingGroupCreate, { name: `Ladder${mark}`, elements }),
    });
    const publishing = tx.insert('publishings', {
      ...stamps,
      ...complete(publishingCreate, { name: `Web${mark}`, type: 'HLS / TS' }),
    } as never);
    const livestream = complete(livestreamCreate, {
      name: `Show${mark}`,
      channelId: channel.id,
      encodingGroupId: group.id,
      publishingId: publishing.id,
    });
    return tx.insert('livestreams', { ...stamps, ...livestream, created_by: 'admin' }).id;
  });
}
