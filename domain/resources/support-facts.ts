/** What a support bundle tells of the store: everything as the API presents it, so nothing in it is secret. */
import { COLLECTIONS, type CollectionName } from '../collections.ts';
import type { Control } from '../control.ts';
import { presentLicence } from '../licence.ts';
import type { Resource } from '../resource.ts';
import type { View } from '../store.ts';
import type { SupportFacts } from '../system.ts';
import { assetResource } from './asset.ts';
import { channelResource } from './channel.ts';
import { presentDevice } from './device.ts';
import { encodingGroupResource } from './encoding-group.ts';
import { encodingResource } from './encoding.ts';
import { livestreamResource } from './livestream.ts';
import { publishingGroupResource } from './publishing-group.ts';
import { publishingResource } from './publishing.ts';
import { storedSecrets } from './stored-secrets.ts';

/** A day's worth of a busy installation. */
const FEED_ENTRIES = 1000;

export function supportFacts(view: View, control: Pick<Control, 'deviceState' | 'status'>, now: string): SupportFacts {
  const devices = view.find('devices', {}).rows.map((row) => presentDevice(row, control));
  return {
    documents: {
      'versions.json': {
        ffmpeg: devices.map(({ id, capabilities }) => ({ deviceId: id, ffmpeg: capabilities?.ffmpeg_version ?? null })),
      },
      'counts.json': counts(view),
      'devices.json': devices,
      'livestreams.json': presented(view, livestreamResource),
      'status.json': view.find('livestreams', {}).rows.map((row) => control.status(row, view.get('runs', row.id))),
      'channels.json': presented(view, channelResource),
      'encodings.json': presented(view, encodingResource),
      'encoding-groups.json': presented(view, encodingGroupResource),
      'publishings.json': presented(view, publishingResource),
      'publishing-groups.json': presented(view, publishingGroupResource),
      'assets.json': presented(view, assetResource),
      'licences.json': view.find('licences', {}).rows.map((row) => presentLicence(row, now)),
      'events.json': latest(view, 'events'),
      'audit.json': latest(view, 'audit'),
    },
    secrets: storedSecrets(view),
  };
}

function counts(view: View): Record<string, number> {
  const names = Object.keys(COLLECTIONS) as CollectionName[];
  return Object.fromEntries(names.map((name) => [name, view.find(name, { limit: 1 }).total]));
}

function presented<C extends CollectionName>(view: View, { collection, present }: Resource<C>): unknown[] {
  return view.find(collection, {}).rows.map((row) => present(row, view));
}

/** Oldest first, as a log is read. */
function latest(view: View, feed: 'events' | 'audit'): unknown[] {
  return view.find(feed, { sort: { field: 'id', descending: true }, limit: FEED_ENTRIES }).rows.toReversed();
}
