/** The four tool profiles, and the choice by TOOL_PROFILE. */
import { AppError } from '../domain/errors.ts';
import type { Profile } from '../toolkit/access.ts';
import { voice } from './voice.ts';

export { asksBack } from './voice.ts';

const readonlyProfile: Profile = { name: 'readonly', allows: (tool) => tool.effect === 'read' };
const operator: Profile = { name: 'operator', allows: (tool) => tool.access === 'operator' };
const full: Profile = { name: 'full', allows: () => true };

/** From the narrowest to the widest: the order in which a refusal names them. */
export const profiles: readonly Profile[] = [voice, readonlyProfile, operator, full];

/** Left out: full. Throws AppError invalid_input that lists the valid names. */
export function profileByName(name: string | undefined): Profile {
  if (name === undefined || name === '') return full;
  const profile = profiles.find((candidate) => candidate.name === name);
  if (profile !== undefined) return profile;
  const allowed = profiles.map((candidate) => candidate.name);
  const asked = JSON.stringify(name.slice(0, 40));
  throw new AppError(
    'invalid_input',
    `There is no tool profile ${asked}. TOOL_PROFILE is one of ${allowed.join(', ')}.`,
    {
      errors: [
        { field: 'TOOL_PROFILE', code: 'invalid_value', message: `must be one of ${allowed.join(', ')}`, allowed },
      ],
    },
  );
}

/** Whether answers are heard rather than read. */
export function isSpoken(profile: Profile): boolean {
  return profile.name.split(' ').includes(voice.name);
}

const narrowed = new Map<string, Profile>();

/** What both allow: a door may narrow the profile of its server, never widen it. */
export function intersectProfiles(server: Profile, door: Profile): Profile {
  if (server === door || door === full) return server;
  if (server === full) return door;
  const name = `${door.name} within ${server.name}`;
  let both = narrowed.get(name);
  if (both === undefined) {
    both = { name, allows: (tool) => server.allows(tool) && door.allows(tool) };
    narrowed.set(name, both);
  }
  return both;
}
