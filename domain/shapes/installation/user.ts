import { z } from 'zod/v3';
import { idField, secretField, stampFields } from '../../base/schema.ts';
import type { Role } from './security.ts';

/**
 * A word that can be typed, compared and logged: it has no spaces, control characters or invisible characters, which would make two names
 * look like one.
 */
const WORD = /^[^\s\p{Cc}\p{Cf}\p{Cs}]*$/u;
const TEXT = /^[^\u0000-\u001f\u007f]*$/u;
/** RFC 5646 in short: a language, and subtags that narrow it. */
const LANGUAGE = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*$/u;

/** Length of a password in characters; nobody types one near the upper bound. */
export const PASSWORD = { min: 12, max: 128 } as const;

export const usernameField = z
  .string()
  .trim()
  .min(1)
  .max(30)
  .regex(WORD, 'must not contain spaces, control or invisible characters')
  .describe('Name for the sign-in, 1-30 characters without spaces, unique in upper or lower case.');
const personName = z.string().trim().max(30).regex(TEXT, 'must not contain control characters');
const firstName = personName.describe('First name, at most 30 characters.');
const lastName = personName.describe('Last name, at most 30 characters.');
const emailField = z
  .string()
  .trim()
  .max(75)
  .email('must be a valid address')
  .describe('E-mail address, 75 characters.');
const roleField = z.union([z.literal(1), z.literal(2)]).describe('1 = System Administrator, 2 = Operator.');
const activeField = z.boolean().describe('false: sign-in, sessions and tokens are refused.');
const passwordField = secretField(PASSWORD.min, PASSWORD.max)
  .nullable()
  .describe('Password of the sign-in, 12-128 characters, never answered; null: none, API tokens only.');

export const userCreate = {
  username: usernameField,
  first_name: firstName.default(''),
  last_name: lastName.default(''),
  email: emailField,
  password: passwordField.default(null),
  user_role: roleField.default(2),
  active: activeField.default(true),
};

const identityField = z
  .object({
    issuer: z.string().max(2048).describe('Identifier of the identity provider.'),
    subject: z.string().max(255).describe('Identifier of the account there, which never changes.'),
  })
  .strict()
  .nullable()
  .describe('Account at the identity provider that signs the user in; null: none.');
export type Identity = NonNullable<z.infer<typeof identityField>>;

export const userOutput = z
  .object({
    ...stampFields,
    username: usernameField,
    first_name: firstName,
    last_name: lastName,
    email: emailField,
    user_role: roleField,
    active: activeField,
    has_password: z.boolean().describe('Whether the user can sign in with a password.'),
    identity: identityField,
  })
  .strict()
  .describe('User.');

const languageField = z
  .string()
  .max(35)
  .regex(LANGUAGE, 'must be a language tag such as en or de-CH')
  .describe('Language tag (BCP 47), for instance en or de-CH.');
const apiField = z.boolean().describe('Whether the user may issue API tokens (createApiToken).');
const adminField = z.boolean().describe('Whether the role is System Administrator.');

export const profilePatch = {
  role: roleField.describe('Role: 1 = System Administrator, 2 = Operator; the same as user_role.').optional(),
  admin: adminField.describe('true stands for role 1, false for role 2.').optional(),
  api: apiField.optional(),
  language: languageField.optional(),
};

export const profileOutput = z
  .object({
    userId: idField.describe('Id of the User.'),
    role: roleField.describe('The same as user_role of the User.'),
    api: apiField,
    admin: adminField,
    language: languageField,
    password_version: z.number().int().min(0).describe('Grows by one with each new password; 0 = there was none.'),
  })
  .strict()
  .describe('User profile.');

/** Fields that a profile adds to its user. Its role and admin are not stored: they follow from user_role. */
export interface UserProfile {
  /** Whether the user may issue API tokens. */
  api: boolean;
  language: string;
  password_version: number;
}

export interface User {
  id: number;
  created_at: string;
  updated_at: string;
  username: string;
  first_name: string;
  last_name: string;
  email: string;
  /** Empty when no sign-in with a password is possible. */
  password_hash: string;
  user_role: Role;
  active: boolean;
  profile: UserProfile;
  /** Left out for users whom no identity provider has signed in. */
  identity?: Identity | null;
}
