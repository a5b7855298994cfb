import type { Calls } from './calls.ts';

/** One Channel, Encoding, Publishing of type HLS / TS and a Live stream `name` of them; `mark` ends the other names. */
export async function addBroadcast(
  app: Calls,
  mark = '',
  name = `Show${mark}`,
): Promise<Record<'channelId' | 'encodingId' | 'publishingId' | 'livestreamId', number>> {
  const { id: channelId } = await app.data('addChannel', {
    name: `Camera${mark}`,
    type: 'Stream',
    settings: { url: 'http://127.0.0.1:9/live.m3u8' },
  });
  const { id: encodingId } = await app.data('addEncoding', { name: `720p${mark}` });
  const { id: publishingId } = await app.data('addPublishing', { name: `Web${mark}`, type: 'HLS / TS' });
  const { id: livestreamId } = await app.data('addLivestream', {
    name,
    channelId,
    encodingId,
    publishingId,
  });
  return { channelId, encodingId, publishingId, livestreamId };
}

/** A 1×1 PNG. */
export const PNG_BASE64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
