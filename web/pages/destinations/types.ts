/** Types of Destinations by what they are used for. */
import type { Schemas } from '../../../client/types.d.ts';
import { USES } from '../../gen/types.ts';

type Type = Schemas['Publishing']['type'];
type Use = keyof typeof USES;

/** Types that go over a network, and are tried again when it fails. */
export const DELIVERED: readonly Type[] = [...USES.viewers, ...USES.platforms];

export function useOf(type: Type): Use {
  const uses = Object.keys(USES) as Use[];
  return uses.find((use) => (USES[use] as readonly Type[]).includes(type)) ?? 'platforms';
}
