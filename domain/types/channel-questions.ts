/** Questions that all of the product asks of the types of Channels; the answers are in their rows. */
import type { ChannelTypeRow, PushedSource } from './channel-row.ts';
import { andList } from '../base/sentence.ts';
import type { ChannelSettings } from './channel-settings.ts';
import { CHANNEL_TYPES, CHANNEL_ROWS, type ChannelType, type IngestWord } from './channel-types.ts';

/** Type and settings as they are stored, sent or reported. */
interface Source {
  type: string;
  settings: { mode?: string | undefined };
}

/** Undefined for a type that this version does not know. */
function rowOf(type: string): ChannelTypeRow | undefined {
  return Object.hasOwn(CHANNEL_ROWS, type) ? CHANNEL_ROWS[type as ChannelType] : undefined;
}

/** False for a type of a later version. */
export function isKnownType(type: string): type is ChannelType {
  return rowOf(type) !== undefined;
}

function typesWhere(holds: (row: ChannelTypeRow) => boolean): readonly ChannelType[] {
  return CHANNEL_TYPES.filter((type) => holds(CHANNEL_ROWS[type]));
}

/** How its source calls this system; undefined for one that is called. */
export function pushOf({ type, settings }: Source): PushedSource | undefined {
  const pushed = rowOf(type)?.pushed;
  if (pushed == null) return undefined;
  return pushed.when === 'always' || settings.mode === 'listener' ? pushed : undefined;
}

/** True for a Channel whose source calls this system: its Device listens for it all the time. */
export function isPushed(source: Source): boolean {
  return pushOf(source) !== undefined;
}

export function settingsOf(type: ChannelType): readonly (keyof ChannelSettings)[] {
  const { required, optional } = CHANNEL_ROWS[type];
  return [...required, ...optional];
}

export function hasSetting(type: ChannelType, field: keyof ChannelSettings): boolean {
  return settingsOf(type).includes(field);
}

/** True for sources that come by SRT, from a peer or through the cloud platform. */
export function isSrt(type: ChannelType): boolean {
  return hasSetting(type, 'encryption');
}

export function playsAsset({ type }: { type: string }): boolean {
  return rowOf(type)?.playsAsset === true;
}

/** True for sources that the cloud platform alone takes in. */
export function isOfCloud({ type }: { type: string }): boolean {
  return rowOf(type)?.place === 'cloud';
}

/** Types that the cloud platform alone takes in. */
export const GATEWAY_TYPES = typesWhere(({ place }) => place === 'cloud');
export const PUSHED_TYPES = typesWhere(({ pushed }) => pushed !== null);
export const ASSET_TYPES = typesWhere((row) => row.playsAsset);
export const CLOUD_INPUTS = typesWhere(({ cloud }) => cloud !== 'refuses');
/** Types that a broadcast on air is not switched to. */
export const FIXED_TYPES = typesWhere(({ isSwitchable }) => !isSwitchable);
/** Schemes of the setting `url`, whichever type has it. */
export const URL_SCHEMES = CHANNEL_TYPES.filter((type) => hasSetting(type, 'url')).flatMap(
  (type) => CHANNEL_ROWS[type].schemes,
);

/** For texts: `RTMP-Push`, `SRT in mode listener`. */
export const PUSHED_NAMES = PUSHED_TYPES.map((type) =>
  CHANNEL_ROWS[type].pushed?.when === 'listener' ? `${type} in mode listener` : type,
);

/** For addChannel, the settings that each type needs: `SDI and AES/EBU deviceId, input; Stream url`. */
export const NEEDED_SETTINGS = [...new Set(CHANNEL_TYPES.map((type) => CHANNEL_ROWS[type].needed))]
  .map((needed) => `${andList(typesWhere((row) => row.needed === needed))} ${needed}`)
  .join('; ');

/** The type that a set-up makes for each word, such as `rtmp-push`. */
const BY_INGEST = new Map(PUSHED_TYPES.map((type) => [CHANNEL_ROWS[type].pushed!.setUp.ingest as IngestWord, type]));
export const INGEST_WORDS = [...BY_INGEST.keys()] as [IngestWord, ...IngestWord[]];

export function typeOfIngest(word: IngestWord): { type: ChannelType; pushed: PushedSource } {
  const type = BY_INGEST.get(word)!;
  return { type, pushed: CHANNEL_ROWS[type].pushed! };
}
