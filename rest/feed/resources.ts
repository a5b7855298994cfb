/** The names under which the feed tells that rows have changed: the path of their list, for those who may read it. */
import type { CollectionName } from '../../domain/ports/collections.ts';
import type { Caller } from '../../domain/shapes/installation/security.ts';
import { profileByName, profiles } from '../../profiles/profiles.ts';
import { mayCall } from '../../toolkit/access.ts';
import { routeOf, type Tool } from '../../toolkit/tool.ts';

interface Listed {
  /** The path of the list, without its first slash. */
  resource: string;
  /** Left out: the ids are those of the rows. null: the rows are parts of the listed ones, and have ids of their own. */
  ids?: null;
}

/**
 * Collections that nobody lists are left out: sessions, answers for retries, learned costs. Runs and events have messages of their own.
 */
const LISTED: { readonly [C in CollectionName]?: Listed } = {
  users: { resource: 'users' },
  tokens: { resource: 'security/tokens' },
  userGroups: { resource: 'usergroups' },
  channels: { resource: 'channels' },
  encodings: { resource: 'encodings' },
  encodingGroups: { resource: 'encodings/groups' },
  publishings: { resource: 'publishings' },
  publishingGroups: { resource: 'publishings/groups' },
  assets: { resource: 'assets' },
  livestreams: { resource: 'livestreams' },
  walls: { resource: 'walls' },
  displayLinks: { resource: 'walls', ids: null },
  schedules: { resource: 'schedules' },
  scheduleSkips: { resource: 'schedules', ids: null },
  firings: { resource: 'schedules', ids: null },
  pastFirings: { resource: 'schedules', ids: null },
  plannedActions: { resource: 'plannedActions' },
  recordings: { resource: 'recordings' },
  devices: { resource: 'devices' },
  fleet: { resource: 'devices', ids: null },
  deviceGroups: { resource: 'devices/groups' },
  drmProviders: { resource: 'settings/integrations/drmproviders' },
  cloudAccounts: { resource: 'settings/integrations/cloud' },
  remoteFolders: { resource: 'remotefolders' },
  targetFolders: { resource: 'targetfolders' },
  transcription: { resource: 'settings/integrations/transcription/config' },
  licences: { resource: 'system/licenses' },
  mailRules: { resource: 'system/mailRules' },
  audit: { resource: 'system/audit' },
  eras: { resource: 'system/restore', ids: null },
};

export interface ChangedResource {
  resource: string;
  /** null: read the list anew. */
  ids: readonly number[] | null;
}

/** The rows by resource, each once. */
export function changedResources(rows: ReadonlyMap<CollectionName, readonly number[] | null>): ChangedResource[] {
  const changes = new Map<string, ChangedResource>();
  for (const [collection, ids] of rows) {
    const listed = LISTED[collection];
    if (listed === undefined) continue;
    const { resource } = listed;
    const own = listed.ids === null ? null : ids;
    const before = changes.get(resource)?.ids;
    changes.set(resource, { resource, ids: own === null || before === null ? null : [...(before ?? []), ...own] });
  }
  return [...changes.values()];
}

/** Tells whether a caller may read the list of a resource, as its operation says. */
export function readersOf(
  operations: readonly Tool[],
): (resource: string, caller: Pick<Caller, 'role' | 'scope'>) => boolean {
  const lists = new Map<string, Tool>();
  for (const tool of operations) {
    const route = routeOf(tool);
    if (route?.method === 'GET') lists.set(route.path.slice(1), tool);
  }
  const full = profileByName('full');
  return (resource, caller) => {
    const tool = lists.get(resource);
    return tool !== undefined && mayCall(tool, full, caller, profiles);
  };
}
