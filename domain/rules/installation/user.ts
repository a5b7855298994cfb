import { z } from 'zod/v3';
import { AppError, ruleViolated } from '../../base/errors.ts';
import { defineResource } from '../../ports/resource.ts';
import { mergePatch } from '../../base/schema.ts';
import { ROLE, type ApiToken, type Role } from '../../shapes/installation/security.ts';
import type { Tx, View } from '../../ports/store.ts';
import {
  userCreate,
  usernameField,
  userOutput,
  type profileOutput,
  type User,
  type UserProfile,
} from '../../shapes/installation/user.ts';

/** The password is no stored field; its hash is. */
const { password: _hashed, ...shape } = userCreate;

export const userResource = defineResource({
  collection: 'users',
  noun: 'User',
  idParam: 'userId',
  shape,
  output: userOutput,
  shortFields: ['id', 'username', 'first_name', 'last_name', 'user_role', 'active'],
  filters: {
    username: usernameField.optional().describe('Only the User of this name.'),
    user_role: userCreate.user_role.removeDefault().optional().describe('Only Users of this role.'),
    active: z.boolean().optional().describe('Only those active, or not.'),
  },
  present: presentUser,
});

export function presentUser(row: Readonly<User>): z.infer<typeof userOutput> {
  const { password_hash, profile: _own, identity = null, ...user } = row;
  return { ...user, has_password: password_hash !== '', identity };
}

/** Role and admin follow from user_role, the one place where the role is kept. */
export function presentProfile({ id, user_role, profile }: Readonly<User>): z.infer<typeof profileOutput> {
  const { api, language, password_version } = profile;
  return { userId: id, role: user_role, api, admin: user_role === ROLE.admin, language, password_version };
}

/** The right to issue tokens is separate from the role, and nobody has it by default. */
export function newProfile(hasPassword: boolean): UserProfile {
  return { api: false, language: 'en', password_version: hasPassword ? 1 : 0 };
}

type Change = Partial<Omit<User, 'profile'>> & { profile?: Partial<UserProfile> };

/** `password_hash` is undefined where the password stays, and empty where it is removed. */
export function withPassword(change: Change, password_hash: string | undefined, present: Readonly<User>): Change {
  if (password_hash === undefined) return change;
  const password_version = present.profile.password_version + (password_hash === '' ? 0 : 1);
  return { ...change, password_hash, profile: { ...change.profile, password_version } };
}

/** The role that a patch of the profile requests. Throws AppError rule_violated when role and admin contradict each other. */
export function roleOf(role: Role | undefined, admin: boolean | undefined): Role | undefined {
  if (admin === undefined) return role;
  const roleOfAdmin = admin ? ROLE.admin : ROLE.operator;
  if (role === undefined || role === roleOfAdmin) return roleOfAdmin;
  const message = `admin: ${admin} stands for role ${roleOfAdmin}, but role is ${role}`;
  throw ruleViolated(`${message}. Send one of the two.`, [{ field: 'admin', code: 'contradiction', message }]);
}

/**
 * Throws AppError conflict. The store distinguishes only unequal names; two that differ in case, or in how a letter is made of code points,
 * would look the same to every person who reads them.
 */
export function assertUsernameFree(view: View, { username, id }: Pick<User, 'username'> & { id?: number }): void {
  const asRead = (name: string): string => name.normalize('NFKC').toLowerCase();
  const readName = asRead(username);
  const holder = view.find('users', {}).rows.find((user) => user.id !== id && asRead(user.username) === readName);
  if (holder === undefined) return;
  throw new AppError('conflict', `User ${holder.id} already has the username ${holder.username}. Choose another.`, {
    facts: { field: 'username', value: username, id: holder.id },
  });
}

/**
 * Throws AppError conflict when no Administrator could sign in any more: one has to be active and have a password or an accepted token.
 * `next` is undefined for a User that is deleted.
 */
function assertAdminRemains(view: View, present: Readonly<User>, next: Readonly<User> | undefined, now: string): void {
  const rules = (user: Readonly<User>): boolean => user.active && user.user_role === ROLE.admin;
  const getsIn = (user: Readonly<User>): boolean =>
    rules(user) && (user.password_hash !== '' || hasLiveToken(view, user.id, now));
  const gotIn = getsIn(present);
  if (!rules(present) || (next !== undefined && rules(next) && (getsIn(next) || !gotIn))) return;
  const admins = view.find('users', { where: { user_role: ROLE.admin, active: true } }).rows;
  const others = admins.filter(({ id }) => id !== present.id);
  // Where nobody can sign in anyway, at least one stays to be given a password.
  if (others.some(getsIn) || (!gotIn && others.length > 0)) return;
  throw new AppError(
    'conflict',
    `User ${present.id} (${present.username}) is the last System Administrator who can get in. First give another active System Administrator a password or an API token, then repeat this.`,
    { facts: { userId: present.id } },
  );
}

/** A token that OAuth gave ends by itself, and leads to MCP alone: whoever has nothing else does not get in by it for long. */
function hasLiveToken(view: View, userId: number, now: string): boolean {
  return liveTokens(view, userId, now).some(({ oauth }) => oauth === undefined);
}

/** The sessions and tokens with which a User gets in at the moment. */
export function credentialsOf(view: View, userId: number, now: string): { sessions: number; tokens: number } {
  const sessions = view.find('sessions', { where: { userId } }).rows.filter((session) => isOpen(session, now));
  return { sessions: sessions.length, tokens: liveTokens(view, userId, now).length };
}

function liveTokens(view: View, userId: number, now: string): Readonly<ApiToken>[] {
  return view.find('tokens', { where: { userId, revoked_at: null } }).rows.filter((token) => isOpen(token, now));
}

function isOpen({ expires_at }: { expires_at: string | null }, now: string): boolean {
  return expires_at === null || Date.parse(expires_at) > Date.parse(now);
}

/**
 * Writes a changed User with the consequences of the change: a new password ends the other sessions, inactivity ends all of them.
 * `sessionId` is that of the caller. Throws AppError conflict.
 */
export function changeUser(tx: Tx, present: Readonly<User>, change: Change, now: string, sessionId?: number): User {
  const row: User = { ...mergePatch(present as User, change), updated_at: now };
  if (row.username !== present.username) assertUsernameFree(tx, row);
  assertAdminRemains(tx, present, row, now);
  tx.put('users', row);
  if (!row.active) endSessions(tx, row.id);
  else if (row.password_hash !== present.password_hash) endSessions(tx, row.id, sessionId);
  return row;
}

/** Deletes a User with sessions, tokens and memberships, so that nothing usable outlives it. Throws AppError conflict. */
export function removeUser(tx: Tx, present: Readonly<User>, now: string): void {
  const { id } = present;
  assertAdminRemains(tx, present, undefined, now);
  tx.delete('users', id);
  endSessions(tx, id);
  for (const token of tx.find('tokens', { where: { userId: id } }).rows) tx.delete('tokens', token.id);
  for (const group of tx.find('userGroups', {}).rows) {
    if (!group.elements.includes(id)) continue;
    const elements = group.elements.filter((member) => member !== id);
    tx.put('userGroups', { ...group, elements, updated_at: now });
  }
}

export function endSessions(tx: Tx, userId: number, but?: number): void {
  for (const { id } of tx.find('sessions', { where: { userId } }).rows) if (id !== but) tx.delete('sessions', id);
}
