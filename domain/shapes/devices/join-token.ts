/** Tokens with which Devices join by themselves. The channel key is derived from the token; the token itself is kept nowhere. */
import { z } from 'zod/v3';
import { deviceCreate } from './device.ts';
import { idField, instantField } from '../../base/schema.ts';

/** One token may put a whole fleet into service. */
export const MAX_JOINS = 10_000;
/** It lies in scripts that set machines up, so it does not live long. */
export const MAX_JOIN_DAYS = 30;

export const joinTokenNameField = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .describe('What the token is for, 1-100 characters.');

export const joinTokenOutput = z
  .object({
    id: idField,
    kid: z.string().describe('Key identifier, used to revoke the token.'),
    name: joinTokenNameField,
    created_at: instantField,
    expires_at: instantField.describe('When it stops working.'),
    idEncoderGroup: idField.nullable().describe('Device group that the Devices become members of; null = none.'),
    type: deviceCreate.type.removeDefault(),
    max_uses: z.number().int().describe('Devices that may join with it in all.'),
    used: z.number().int().describe('Devices that have joined with it.'),
  })
  .strict();

export type JoinToken = z.infer<typeof joinTokenOutput> & {
  updated_at: string;
  /** Key of the channel over which a Device joins, as secret as the key of a Device. */
  join_key: string;
  revoked_at: string | null;
};
