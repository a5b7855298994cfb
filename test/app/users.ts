import { hashToken, ROLE, type Role } from '../../domain/shapes/installation/security.ts';
import type { Store } from '../../domain/ports/store.ts';

export const ROLES = { admin: ROLE.admin, operator: ROLE.operator, plain: ROLE.admin, gone: ROLE.operator } as const;
export type UserName = keyof typeof ROLES;
export type UserIds = Record<UserName, number>;

/** Bearer tokens of the users that have one, whose kid is the user's name. */
export const TOKENS = {
  admin: 'onair_admin_token_of_the_tests',
  operator: 'onair_operator_token_of_the_tests',
} as const;
export type TokenOwner = keyof typeof TOKENS;

const STAMPS = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };

/** The users of the tests: admin (api), operator, plain (Admin without api) and gone (inactive). Those that are there stay as they are. */
export function addUsers(store: Store): Promise<UserIds> {
  return store.tx((tx) => {
    const known = new Map(tx.find('users', {}).rows.map((user) => [user.username, user.id]));
    const idOf = (username: string, role: Role): number => {
      const user = {
        ...STAMPS,
        username,
        first_name: username,
        last_name: 'Test',
        email: `${username}@example.org`,
        password_hash: '',
        user_role: role,
        active: username !== 'gone',
        profile: {
          role,
          api: username === 'admin',
          admin: role === ROLE.admin,
          language: 'en',
          password_version: 1,
        },
      };
      return known.get(username) ?? tx.insert('users', user).id;
    };
    return Object.fromEntries(Object.entries(ROLES).map(([name, role]) => [name, idOf(name, role)])) as UserIds;
  });
}

/** Lets the users in by their tokens, once a store. */
export async function addTokens(store: Store, users: UserIds): Promise<void> {
  await store.tx((tx) => {
    const known = new Set(tx.find('tokens', {}).rows.map(({ kid }) => kid));
    for (const [kid, token] of Object.entries(TOKENS)) {
      const userId = users[kid as TokenOwner];
      const secret = { name: 'test', userId, token_hash: hashToken(token), expires_at: null, revoked_at: null };
      if (!known.has(kid)) tx.insert('tokens', { ...STAMPS, kid, ...secret });
    }
  });
}
