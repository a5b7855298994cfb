import { z } from 'zod/v3';
import {
  channelCreate,
  channelIssues,
  channelOutput,
  CHANNEL_TYPES,
  completeSettings,
  presentChannel,
} from '../channel.ts';
import { invalidInput } from '../errors.ts';
import { defineResource } from '../resource.ts';
import { livestreamUsers } from './users.ts';

export const channelResource = defineResource({
  collection: 'channels',
  noun: 'Channel',
  idParam: 'channelId',
  shape: channelCreate,
  output: channelOutput,
  shortFields: ['id', 'name', 'type', 'description'],
  filters: { type: z.enum(CHANNEL_TYPES).optional().describe('Only Channels of this type.') },
  complete: (row, present) => {
    // Another type means other settings: nothing of the old type's is kept.
    const kept =
      present !== undefined && present.type !== row.type ? dropKeys(row.settings, present.settings) : row.settings;
    return { ...row, settings: completeSettings(row.type, kept) };
  },
  check: (row) => {
    const issues = channelIssues(row);
    if (issues.length > 0) throw invalidInput(issues);
  },
  users: (view, id) => livestreamUsers(view, 'channelId', id),
  present: presentChannel,
});

/** Fields of `settings` that are not merely carried over from `before`. */
function dropKeys<T extends object>(settings: T, before: T): T {
  const entries = Object.entries(settings).filter(([key, value]) => before[key as keyof T] !== value);
  return Object.fromEntries(entries) as T;
}
