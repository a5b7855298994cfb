import { z } from 'zod/v3';
import { idField, instantField } from '../../base/schema.ts';
import { VIAS } from './security.ts';

/** Names of operations and resources in the audit; longer ones match none of them. */
const word = z.string().min(1).max(100);

export const auditOutput = z
  .object({
    id: idField,
    at: instantField,
    user: z.string().describe('Name of the user at that time; (unknown): a refused sign-in or token that nobody has.'),
    token_kid: z.string().nullable().describe('Key identifier of the token; null for a session and for a Schedule.'),
    via: z.enum(VIAS).describe('API that the call came by; oauth: MCP, by an assistant that OAuth let in.'),
    client: z.string().nullable().describe('Name of that assistant; null for others.'),
    operation: z.string(),
    resource: z.string().describe('Kind of resource.'),
    resource_id: z.number().int().nullable(),
    outcome: z.string().describe('ok, or the code of the error.'),
    request_id: z.string(),
    changed: z.array(z.string()).describe('Names of the fields that were sent, never their values.'),
    count: z
      .number()
      .int()
      .describe('Calls that it stands for: over 1 where a credential was refused the same too often in an hour.'),
  })
  .strict()
  .describe('Audit entry.');

export const auditShortFields = ['id', 'at', 'user', 'via', 'operation', 'resource_id', 'outcome'] as const;

export const auditFilters = {
  user: word.optional().describe('Only calls of this username.'),
  operation: word.optional().describe('Only calls of this operation, for instance deleteChannel or login.'),
  resource: word.optional().describe('Only calls on this kind of resource, for instance Live streams.'),
  resource_id: idField.optional().describe('Only calls on the resource of this id; name resource too.'),
  outcome: word.optional().describe('ok, or the code of an error such as forbidden.'),
  via: z.enum(VIAS).optional().describe('Only calls by this API.'),
  request_id: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Only calls of this request_id; name from and to if you can.'),
};
