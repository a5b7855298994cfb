import { z } from 'zod/v3';
import { cloudAccountCreate, cloudAccountOutput } from '../../shapes/devices/cloud-account.ts';
import { defineResource } from '../../ports/resource.ts';
import { actionUsers, placeUsers } from '../rows/resource-users.ts';
import { withValidation } from '../../base/validation.ts';

/** Settings that a check of the account uses, and whether it runs at all. */
export const ACCOUNT_SETTINGS = ['client_id', 'password', 'enabled'] as const;

export const cloudAccountResource = defineResource({
  collection: 'cloudAccounts',
  noun: 'Cloud account',
  idParam: 'accountId',
  shape: cloudAccountCreate,
  output: cloudAccountOutput,
  shortFields: ['id', 'client', 'client_id', 'enabled', 'validation_status'],
  filters: { enabled: z.boolean().optional().describe('Only those enabled, or not.') },
  complete: (row, present) => withValidation(row, present, ACCOUNT_SETTINGS),
  users: (view, id) => [
    ...view
      .find('channels', {})
      .rows.filter(({ settings }) => settings.cloudAccountId === id)
      .map((row) => ({ resource: 'Channel', id: row.id, name: row.name })),
    ...placeUsers(view, { cloudAccountId: id }),
    ...actionUsers(view, 'start', ({ cloudAccountId }) => cloudAccountId === id),
  ],
  present: ({ password, ...row }) => ({ ...row, has_password: password !== '' }),
});
