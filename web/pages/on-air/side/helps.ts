/** The acts that help against a trouble, the likeliest first. */
import { KEYED_TYPES } from '../../../gen/types.ts';
import type { Trouble } from '../../../live/health.ts';
import type { Publishing } from '../../../live/status.ts';

export type HelpName = 'newKey' | 'destination' | 'switchOff' | 'switchSource' | 'addressAndKey' | 'startAgain';

const OF_SOURCE: readonly string[] = ['source_lost', 'low_fps', 'black', 'frozen', 'silent'];

/** `publishing`: the Destination that it is about. */
export function helpsAgainst({ reason }: Pick<Trouble, 'reason'>, publishing: Publishing | undefined): HelpName[] {
  if (publishing !== undefined) return destinationHelps(reason, publishing);
  if (reason === 'source_awaited') return ['switchSource', 'addressAndKey'];
  if (OF_SOURCE.includes(reason)) return ['switchSource'];
  return reason === 'failed' ? ['startAgain'] : [];
}

/** Only a peer that is there and says no may want another key. */
function destinationHelps(reason: Trouble['reason'], { type, primary, backup }: Publishing): HelpName[] {
  const hasKey = KEYED_TYPES.includes(type);
  const isRefused = primary.refused || backup?.refused === true;
  const others: HelpName[] = reason === 'no_path' ? ['destination'] : ['switchOff', 'destination'];
  if (!hasKey) return others;
  return isRefused ? ['newKey', ...others] : [...others, 'newKey'];
}
