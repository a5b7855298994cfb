/** Types of Destinations by what they are used for. */
import type { Destination } from './paths.tsx';

type Type = Destination['type'];

export const USES = {
  viewers: ['HLS / TS', 'DASH', 'CMAF'],
  platforms: ['RTMP', 'Enhanced RTMP', 'SRT', 'STREAM'],
  device: ['SDIOUT'],
  record: ['Record'],
} as const satisfies Record<string, readonly Type[]>;
type Use = keyof typeof USES;

/** Types whose output can be encrypted by DRM. */
export const ENCRYPTED: readonly Type[] = USES.viewers;
/** Types that go over a network, and are tried again when it fails. */
export const DELIVERED: readonly Type[] = [...USES.viewers, ...USES.platforms];

export function useOf(type: Type): Use {
  const uses = Object.keys(USES) as Use[];
  return uses.find((use) => (USES[use] as readonly Type[]).includes(type)) ?? 'platforms';
}
