/** The choices that a person has on the consent page, and the one that was made. */
import { invalidInput } from '../../domain/base/errors.ts';
import type { Caller, ProfileName, Role } from '../../domain/shapes/installation/security.ts';
import { intersectProfiles, profileByName } from '../../profiles/profiles.ts';
import { roleAllows, type Profile } from '../../toolkit/access.ts';
import type { Dispatcher } from '../../toolkit/dispatch.ts';
import { newScope } from '../../toolkit/subjects/token-scope.ts';

interface ChoiceDeps {
  dispatcher: Dispatcher;
  /** The profile of MCP here. */
  profile: Profile;
}

interface Choice {
  profile: ProfileName;
  operations: readonly string[] | null;
  /** null: without an end of its own. */
  days: number | null;
}

const MAX_DAYS = 3650;

/** A workflow needs what it performs, so that its own name says nothing more. */
export function operationsFor({ catalogue }: Dispatcher, offered: readonly ProfileName[], role: Role) {
  const profiles = offered.map((name) => profileByName(name));
  const bySubject = new Map<string, string[]>();
  for (const tool of catalogue.operations) {
    if (!roleAllows(role, tool) || !profiles.some((profile) => profile.allows(tool))) continue;
    bySubject.set(tool.tag, [...(bySubject.get(tool.tag) ?? []), tool.name]);
  }
  return [...bySubject].map(([subject, names]) => ({
    subject,
    names: names.sort((one, other) => one.localeCompare(other)),
  }));
}

/** Throws AppError for what was not offered: a form may come from anywhere. */
export function choiceOf(
  deps: ChoiceDeps,
  form: URLSearchParams,
  offered: readonly ProfileName[],
  caller: Caller,
): Choice {
  const profile = offered.find((name) => name === form.get('profile'));
  if (profile === undefined)
    throw invalidInput([{ field: 'profile', code: 'not_offered', message: `must be one of ${offered.join(', ')}` }]);
  const names = form.getAll('operations').filter((name) => name !== '');
  const allowed = intersectProfiles(deps.profile, profileByName(profile));
  const rights = deps.dispatcher.rightsOf({ caller, profile: allowed });
  const { operations } = newScope(
    { caller, request: { rights } },
    { profile, ...(names.length > 0 && { operations: names }) },
  );
  return { profile, operations, days: daysOf(form.get('expires_days') ?? '') };
}

function daysOf(text: string): number | null {
  if (text.trim() === '') return null;
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= MAX_DAYS) return days;
  throw invalidInput([{ field: 'expires_days', code: 'out_of_range', message: `must be 1 to ${MAX_DAYS}` }]);
}
