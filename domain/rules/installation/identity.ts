/** Users whom an identity provider signs in: each is found by issuer and subject alone, and has the role that the provider gives. */
import { AppError } from '../../base/errors.ts';
import type { Role } from '../../shapes/installation/security.ts';
import type { Tx, View } from '../../ports/store.ts';
import { userCreate, type Identity, type User } from '../../shapes/installation/user.ts';
import { assertUsernameFree, changeUser, endSessions, newProfile } from './user.ts';

/** The names that a provider tells of an account. They are shown; nobody is found by them. */
export interface AccountNames {
  username: string;
  first_name: string;
  last_name: string;
  email: string;
}

const MAX_NAME = 30;
/** This is a valid address that can never belong to anybody (RFC 2606 §2). */
const NO_EMAIL = 'nobody@onair.invalid';

export function userOfIdentity(view: View, { issuer, subject }: Identity): Readonly<User> | undefined {
  const isIt = ({ identity }: Readonly<User>): boolean => identity?.issuer === issuer && identity.subject === subject;
  return view.find('users', {}).rows.find(isIt);
}

/**
 * The User of the identity, made at the first sign-in, with this role from now on. Throws AppError forbidden for a User who is not active,
 * and conflict when the last Administrator would no longer be one.
 */
export function signedInUser(tx: Tx, identity: Identity, names: AccountNames, role: Role, now: string): Readonly<User> {
  const present = userOfIdentity(tx, identity);
  if (present === undefined) return tx.insert('users', newUser(tx, identity, names, role, now));
  if (!present.active)
    throw new AppError('forbidden', `The account ${present.username} is not active here.`, {
      remedy: 'Ask an Administrator of this service to let the account in again.',
    });
  return present.user_role === role ? present : changeUser(tx, present, { user_role: role }, now);
}

/** Ends what is open of an account that has no role any more. */
export function endSessionsOf(tx: Tx, identity: Identity): Readonly<User> | undefined {
  const user = userOfIdentity(tx, identity);
  if (user !== undefined) endSessions(tx, user.id);
  return user;
}

function newUser(view: View, identity: Identity, names: AccountNames, role: Role, now: string): Omit<User, 'id'> {
  const email = userCreate.email.safeParse(names.email);
  return {
    created_at: now,
    updated_at: now,
    username: freeUsername(view, names.username),
    first_name: personName(names.first_name),
    last_name: personName(names.last_name),
    email: email.success ? email.data : NO_EMAIL,
    password_hash: '',
    user_role: role,
    active: true,
    profile: newProfile(false),
    identity,
  };
}

/** The name of the account, with a number where another User has it: who is called as somebody here is not that User. */
function freeUsername(view: View, wanted: string): string {
  const word = wanted.normalize('NFC').replace(/[\s\p{Cc}\p{Cf}\p{Cs}]/gu, '') || 'user';
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `-${number}`;
    const username = `${shortened(word, MAX_NAME - suffix.length)}${suffix}`;
    try {
      assertUsernameFree(view, { username });
      return username;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'conflict') throw error;
    }
  }
}

function personName(text: string): string {
  return shortened(text.replace(/[\u0000-\u001f\u007f]/gu, ''), MAX_NAME).trim();
}

/** Cuts between characters, so that no half of a surrogate pair is left. */
function shortened(text: string, max: number): string {
  let kept = '';
  for (const character of text) {
    if (kept.length + character.length > max) break;
    kept += character;
  }
  return kept;
}
