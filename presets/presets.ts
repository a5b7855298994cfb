/** All presets in the order in which people are shown them. */
import { AppError } from '../domain/errors.ts';
import type { Ladder, LadderId, Preset } from '../domain/preset.ts';
import { LADDERS } from './ladders.ts';
import { TEMPLATES } from './templates.ts';

export const PRESETS: readonly Preset[] = [...LADDERS, ...TEMPLATES];

/** Throws AppError not_found. */
export function getLadder(id: LadderId): Ladder {
  const ladder = LADDERS.find((each) => each.id === id);
  if (ladder === undefined)
    throw new AppError('not_found', `There is no ladder ${id}; listPresets has those that there are.`);
  return ladder;
}
