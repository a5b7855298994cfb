import { z } from 'zod/v3';
import { idField, nameField, stampFields } from '../../base/schema.ts';

/** No permissions are attached to it, and it has no description. */
export const userGroupCreate = {
  name: nameField,
  elements: z.array(idField).max(1000).default([]).describe('Ids of the member users.'),
};
export const userGroupOutput = z
  .object({ ...stampFields, ...userGroupCreate })
  .strict()
  .describe('User group.');
export type UserGroup = z.infer<typeof userGroupOutput>;
