/** How the channels of a source are its tracks: one track a group. */
import { MAX_CHANNELS } from '../../domain/types/channel-settings.ts';

/** The groups that a source with so many channels has: those that are wanted as far as it goes, the rest in pairs. */
export function groupsOf(channels: number, wanted: readonly number[] | undefined): number[] {
  const groups: number[] = [];
  let left = Math.min(channels, MAX_CHANNELS);
  for (const size of wanted ?? Array<number>(MAX_CHANNELS / 2).fill(2)) {
    if (left <= 0) break;
    const own = Math.min(size, left);
    // What a source has less of a group is no group: 5.1 without its rear would be heard as something else.
    if (own < size && size > 2) break;
    groups.push(own);
    left -= own;
  }
  return groups.length > 0 ? groups : [Math.min(2, channels)];
}
