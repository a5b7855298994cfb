/** The source to go back to, by what this window knows. */
import { recentEvents } from '../../../live/streams.ts';
import type { LivestreamStatus } from '../../../live/status.ts';
import { switchable } from '../tile/channel-names.ts';
import { beforeIn } from './source-before.ts';

/** The source that this window has switched away from, by stream. */
export const left = new Map<number, number>();

/** The Channel that the last switch has taken off the air, whoever ordered it, or the backup; undefined where none is known. */
export function sourceBefore(status: LivestreamStatus): number | undefined {
  return beforeIn(recentEvents.value, status, { left: left.get(status.livestreamId), switchable: switchable.value });
}
