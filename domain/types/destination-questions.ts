/** Questions that all of the product asks of the types of Destinations; the answers are in their rows. */
import type { DestinationTypeRow } from './destination-row.ts';
import { OWNED_SETTINGS, type OwnedSetting, type PublishingSettings } from './destination-settings.ts';
import { DESTINATION_ROWS, NOT_IN_TS, PUBLISHING_TYPES, type PublishingType } from './destination-types.ts';

function typesWhere(holds: (row: DestinationTypeRow) => boolean): readonly PublishingType[] {
  return PUBLISHING_TYPES.filter((type) => holds(DESTINATION_ROWS[type]));
}

/** Whether the setting belongs to the type; those of all types belong to each. */
export function ownsSetting(type: PublishingType, field: string): boolean {
  if (!(OWNED_SETTINGS as readonly string[]).includes(field)) return true;
  const { key, settings } = DESTINATION_ROWS[type];
  return field === 'stream_key' ? key !== null : (settings as readonly string[]).includes(field);
}

export function ownersOf(field: OwnedSetting): readonly PublishingType[] {
  return PUBLISHING_TYPES.filter((type) => ownsSetting(type, field));
}

/** The file that a viewer opens first; undefined for a type that nobody plays, and for one that this version does not know. */
export function manifestOf(type: string): string | undefined {
  return Object.hasOwn(DESTINATION_ROWS, type)
    ? DESTINATION_ROWS[type as PublishingType].packaged?.manifest
    : undefined;
}

/** Whether its Device serves it to viewers by itself. */
export function isServed({
  type,
  settings,
}: {
  type: PublishingType;
  settings: Pick<PublishingSettings, 'url'>;
}): boolean {
  return manifestOf(type) !== undefined && settings.url === null;
}

/** Whether its segments are transport streams. These have no parts that players take, so that low latency is fragmented MP4. */
export function isInTransportStream({
  type,
  settings,
}: {
  type: PublishingType;
  settings: Pick<PublishingSettings, 'low_latency'>;
}): boolean {
  // Orders of earlier versions lack the setting.
  return DESTINATION_ROWS[type].packaged?.segments === 'ts' && settings.low_latency !== true;
}

/** Video codecs that it cannot carry, as it is set. */
export function videoNotCarried({
  type,
  settings,
}: {
  type: PublishingType;
  settings: Pick<PublishingSettings, 'container'>;
}): readonly string[] {
  const isTransportStream = ownsSetting(type, 'container') && settings.container === 'ts';
  return isTransportStream ? NOT_IN_TS : DESTINATION_ROWS[type].notCarried.video;
}

/** Types that carry HDR with what says that it is HDR. */
export const HDR_TYPES = typesWhere(({ notCarried }) => notCarried.hdr !== true);
/** Types whose target tells its senders apart by a stream key. */
export const KEYED_TYPES = typesWhere(({ key }) => key !== null);
/** Types that viewers play, by HTTP. */
export const PACKAGED_TYPES = typesWhere(({ packaged }) => packaged !== null);
export const ENCRYPTED_TYPES = typesWhere(({ drm }) => drm.length > 0);
export const CLOUD_OUTPUTS = typesWhere(({ isInCloud }) => isInCloud);
/** Types that are delivered to an address and need one. */
export const ADDRESSED_TYPES = typesWhere(({ needsUrl }) => needsUrl);

export function typesFor(system: DestinationTypeRow['drm'][number]): readonly PublishingType[] {
  return typesWhere(({ drm }) => drm.includes(system));
}

/** Types that cannot carry the video codec, apart from those that need a card. */
export function typesNotCarrying(codec: string): readonly PublishingType[] {
  return typesWhere(({ use, notCarried }) => use !== 'device' && notCarried.video.includes(codec));
}

/** Types that carry the video codec, apart from those that need a card. */
export function typesCarrying(codec: string): readonly PublishingType[] {
  return typesWhere(({ use, notCarried }) => use !== 'device' && !notCarried.video.includes(codec));
}
