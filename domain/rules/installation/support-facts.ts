/** The store's part of a support bundle: everything as the API presents it, so nothing in it is secret. */
import { RESIDENT_NAMES, type CollectionName, type ResidentName } from '../../ports/collections.ts';
import type { Control } from '../../ports/control.ts';
import { presentLicence } from '../../shapes/installation/licence.ts';
import type { Resource } from '../../ports/resource.ts';
import type { Store, View } from '../../ports/store.ts';
import type { SupportFacts } from '../../shapes/installation/system.ts';
import { assetResource } from '../media/asset.ts';
import { channelResource } from '../sources/channel.ts';
import { presentDevice } from '../devices/device.ts';
import { encodingGroupResource } from '../encodings/encoding-group.ts';
import { encodingResource } from '../encodings/encoding.ts';
import { livestreamResource } from '../broadcasts/livestream.ts';
import { publishingGroupResource } from '../destinations/publishing-group.ts';
import { publishingResource } from '../destinations/publishing.ts';
import { storedSecrets } from '../rows/stored-secrets.ts';

/** Entries of one day of a busy installation. */
const FEED_ENTRIES = 1000;

/** The newest entries of history, and their total number. */
export interface SupportFeeds {
  events: Found;
  audit: Found;
}

interface Found {
  rows: readonly unknown[];
  total: number;
}

/** History is read first, outside of plans; all other rows are one state. */
export async function supportFeeds(store: Pick<Store, 'find'>): Promise<SupportFeeds> {
  const newest = { sort: { field: 'id', descending: true }, limit: FEED_ENTRIES };
  return { events: await store.find('events', newest), audit: await store.find('audit', newest) };
}

export function supportFacts(
  view: View,
  feeds: SupportFeeds,
  control: Pick<Control, 'deviceState' | 'status' | 'ingest'>,
  now: string,
): SupportFacts {
  const devices = view.find('devices', {}).rows.map((row) => presentDevice(row, control));
  return {
    documents: {
      'versions.json': {
        ffmpeg: devices.map(({ id, capabilities }) => ({ deviceId: id, ffmpeg: capabilities?.ffmpeg_version ?? null })),
      },
      'counts.json': counts(view, feeds),
      'devices.json': devices,
      'livestreams.json': presented(view, control, livestreamResource),
      'status.json': view.find('livestreams', {}).rows.map((row) => control.status(row, view.get('runs', row.id))),
      'channels.json': presented(view, control, channelResource),
      'encodings.json': presented(view, control, encodingResource),
      'encoding-groups.json': presented(view, control, encodingGroupResource),
      'publishings.json': presented(view, control, publishingResource),
      'publishing-groups.json': presented(view, control, publishingGroupResource),
      'assets.json': presented(view, control, assetResource),
      'licences.json': view.find('licences', {}).rows.map((row) => presentLicence(row, now)),
      // Entries are oldest first, as a log is read.
      'events.json': feeds.events.rows.toReversed(),
      'audit.json': feeds.audit.rows.toReversed(),
    },
    secrets: storedSecrets(view),
  };
}

function counts(view: View, { events, audit }: SupportFeeds): Partial<Record<CollectionName, number>> {
  const rows = RESIDENT_NAMES.map((name) => [name, view.find(name, { limit: 1 }).total]);
  return { ...Object.fromEntries(rows), events: events.total, audit: audit.total };
}

function presented<C extends ResidentName>(
  view: View,
  control: Pick<Control, 'ingest'>,
  { collection, present, live }: Resource<C>,
): unknown[] {
  return view.find(collection, {}).rows.map((row) => ({ ...(present(row, view) as object), ...live?.(row, control) }));
}
