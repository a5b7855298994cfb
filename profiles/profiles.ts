/** The four tool profiles, and the choice by TOOL_PROFILE. */
import { AppError } from '../domain/base/errors.ts';
import { PROFILE_NAMES, type ProfileName } from '../domain/shapes/installation/security.ts';
import type { Profile } from '../toolkit/access.ts';
import { voice } from './voice.ts';

export { needsConfirmation } from './voice.ts';

const readonlyProfile: Profile = { name: 'readonly', spoken: false, allows: (tool) => tool.effect === 'read' };
const operator: Profile = { name: 'operator', spoken: false, allows: (tool) => tool.access === 'operator' };
const full: Profile = { name: 'full', spoken: false, allows: () => true };

const BY_NAME: Readonly<Record<ProfileName, Profile>> = { voice, readonly: readonlyProfile, operator, full };

/** The profiles from the narrowest to the widest, which is the order in which a refusal names them. */
export const profiles: readonly Profile[] = PROFILE_NAMES.map((name) => BY_NAME[name]);

/** The profile of that name, or full without a name. Throws AppError invalid_input that lists the valid names. */
export function profileByName(name: string | undefined): Profile {
  if (name === undefined || name === '') return full;
  const profile = profiles.find((candidate) => candidate.name === name);
  if (profile !== undefined) return profile;
  const allowed = profiles.map((candidate) => candidate.name);
  const shown = JSON.stringify(name.slice(0, 40));
  throw new AppError(
    'invalid_input',
    `There is no tool profile ${shown}. TOOL_PROFILE is one of ${allowed.join(', ')}.`,
    {
      errors: [
        { field: 'TOOL_PROFILE', code: 'invalid_value', message: `must be one of ${allowed.join(', ')}`, allowed },
      ],
    },
  );
}

const intersections = new Map<string, Profile>();

/** Allows what both profiles allow: a client may narrow the profile of its server, never widen it. */
export function intersectProfiles(server: Profile, client: Profile): Profile {
  if (server === client || client === full) return server;
  if (server === full) return client;
  const name = `${client.name} within ${server.name}`;
  let both = intersections.get(name);
  if (both === undefined) {
    both = {
      name,
      parts: [client.name, server.name],
      spoken: client.spoken || server.spoken,
      allows: (tool) => server.allows(tool) && client.allows(tool),
    };
    intersections.set(name, both);
  }
  return both;
}
