/** The picture of a Channel, as an address for an image. */
import { API_ROOT } from './client.ts';

/** Resolves with an object URL, which the caller revokes; undefined where there is no picture. `width` is in pixels. */
export async function channelPreview(
  channelId: number,
  width: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const answer = await fetch(`${API_ROOT}/channels/${channelId}/preview?width=${width}`, {
      credentials: 'same-origin',
      signal,
    });
    return answer.ok ? URL.createObjectURL(await answer.blob()) : undefined;
  } catch {
    // It was aborted, or the server is away; the next one may come.
    return undefined;
  }
}
