/** Says what a Destination does not carry of a broadcast, for the status. */
import type { PublishingType } from '../../../domain/publishing-types.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';

/** FLV has one audio stream, and the card plays out one. */
const ONE_TRACK: readonly PublishingType[] = ['RTMP', 'Enhanced RTMP', 'SDIOUT'];

/** Each is a sentence. */
export function notesOf(type: PublishingType, { tracks, audios }: Pick<LadderPlan, 'tracks' | 'audios'>): string[] {
  const chosen = tracks.find(({ isDefault }) => isDefault);
  if (!ONE_TRACK.includes(type) || tracks.length < 2 || audios.length === 0 || chosen === undefined) return [];
  const { name, language, number } = chosen;
  const track = `the default one, "${name}" (track ${number}, ${language})`;
  return [`${type} carries one audio track: ${track}. The others are left out.`];
}
