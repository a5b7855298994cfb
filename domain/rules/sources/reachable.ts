/** Hosts that a row would send requests to. An address that is refused at a connection is refused already where it is stored. */
import { bucketHost, isBucket } from '../../network/bucket-address.ts';
import type { Channel } from '../../shapes/sources/channel.ts';
import type { CollectionName } from '../../ports/collections.ts';
import type { DrmProvider } from '../../shapes/destinations/drm-provider.ts';
import type { FieldIssue } from '../../base/errors.ts';
import type { RemoteFolder, TargetFolder } from '../../shapes/media/folder.ts';
import type { Publishing } from '../../shapes/destinations/publishing.ts';
import type { TranscriptionConfig } from '../../shapes/media/transcription.ts';
import { listensForRist } from '../../network/rist.ts';
import { isPushed } from '../../types/channel-questions.ts';

/** Hosts by field. */
type Hosts = Record<string, string | null | undefined>;

const HOSTS: Partial<Record<CollectionName, (row: never) => Hosts>> = {
  channels: ({ type, settings }: Channel) => ({
    'settings.url': listensForRist(settings.url) ? undefined : hostOf(settings.url),
    // The host of a listener is an address of this machine.
    'settings.host': isPushed({ type, settings }) ? undefined : settings.host,
    ...Object.fromEntries((settings.ndi_hosts ?? []).map((host, at) => [`settings.ndi_hosts.${at}`, host])),
  }),
  publishings: ({ settings }: Publishing) => ({
    'settings.url': pushHost(settings.url),
    'settings.backup_url': pushHost(settings.backup_url),
  }),
  remoteFolders: ({ host }: RemoteFolder) => ({ host: hostOf(host.includes('://') ? host : `nfs://${host}`) }),
  targetFolders: ({ host, endpoint }: TargetFolder) => ({ host, endpoint: hostOf(endpoint) }),
  drmProviders: ({ speke_url }: DrmProvider) => ({ speke_url: hostOf(speke_url) }),
  transcription: ({ tenant_url }: TranscriptionConfig) => ({ tenant_url: hostOf(tenant_url) }),
};

function hostOf(url: string | null | undefined): string | undefined {
  return url != null && URL.canParse(url) ? new URL(url).hostname : undefined;
}

/** The host of an SRT listener is an address of the Device, and that of a bucket's address its name. */
function pushHost(url: string | null): string | undefined {
  const listens =
    url !== null && URL.canParse(url) && /^srt:/iu.test(url) && new URL(url).searchParams.get('mode') === 'listener';
  if (url !== null && isBucket(url)) return bucketHost(url);
  return listens ? undefined : hostOf(url);
}

/** Checks the hosts that `row` has and `present` has not. `refusalOf` says why no request may go to a host. */
export function reachIssues(
  collection: CollectionName,
  row: object,
  present: object | undefined,
  refusalOf: (host: string) => string | undefined,
): FieldIssue[] {
  const hosts = HOSTS[collection];
  if (hosts === undefined) return [];
  const before = present === undefined ? {} : hosts(present as never);
  return Object.entries(hosts(row as never)).flatMap(([field, host]) => {
    if (host == null || host === before[field]) return [];
    const message = refusalOf(host);
    return message === undefined ? [] : [{ field, code: 'network_refused', message, value: host }];
  });
}
