/** Which Destination of a broadcast is heard on the page. */
import { HLS_TYPES } from '../../../gen/types.ts';
import type { LivestreamStatus } from '../../../live/status.ts';

interface Row {
  id?: number;
  drm?: object | null;
  settings?: object;
}

/**
 * A clear one with HLS whose media is on a Device: what is sent elsewhere by a url is not. Viewers of one with low latency are two seconds
 * behind, of another fifteen.
 */
export function heardOf(publishings: LivestreamStatus['publishings'], rows: readonly Row[]): number | undefined {
  const heard = publishings.flatMap(({ publishingId, type, primary }) => {
    const row = rows.find(({ id }) => id === publishingId);
    const { settings = {} } = row ?? {};
    const isHeard = HLS_TYPES.includes(type) && primary.enabled && row?.drm === null && !hasUrl(settings);
    return isHeard ? [{ publishingId, isQuick: 'low_latency' in settings && settings.low_latency === true }] : [];
  });
  return (heard.find(({ isQuick }) => isQuick) ?? heard[0])?.publishingId;
}

function hasUrl(settings: object): boolean {
  return 'url' in settings && typeof settings.url === 'string' && settings.url !== '';
}
