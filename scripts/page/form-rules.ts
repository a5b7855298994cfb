/** Which fields of a form belong to which choice, taken from the rules of the resources. A page shows those of the chosen type alone. */
import type { z } from 'zod/v3';
import { FOREIGN_FIELDS, PROVIDER_TYPES } from '../../domain/shapes/destinations/drm-provider.ts';
import { LEGACY_AUDIO, LEGACY_VIDEO, SOUND_CHANNELS, VIDEO_CODECS } from '../../domain/shapes/encodings/encoding.ts';
import { MASTERING_CODECS } from '../../domain/shapes/encodings/light.ts';
import { TARGET_FIELDS, TARGET_TYPES } from '../../domain/shapes/media/folder.ts';
import { ACTIONS } from '../../domain/shapes/schedules/planned-action.ts';
import { hasSetting, settingsOf } from '../../domain/types/channel-questions.ts';
import { CHANNEL_ROWS, CHANNEL_TYPES } from '../../domain/types/channel-types.ts';
import { ADDRESSED_TYPES, ownersOf, PACKAGED_TYPES } from '../../domain/types/destination-questions.ts';
import { OWNED_SETTINGS } from '../../domain/types/destination-settings.ts';
import { DESTINATION_ROWS, PUBLISHING_TYPES } from '../../domain/types/destination-types.ts';

/** Paths of fields with the values under which the field is shown. */
export type When = Record<string, readonly unknown[]>;

export interface FieldRule {
  when?: When;
  /** Values of the first path of `when` for which the field must be filled in. */
  requiredFor?: readonly string[];
  initial?: unknown;
  isNeeded?: true;
  /** Another name of a field that the form has. */
  isLeftOut?: true;
  /** Choices that new rows are refused. */
  without?: readonly unknown[];
  /** The values that new rows may have, where the field itself reads more. */
  only?: readonly (string | number)[];
}
type Rules = Record<string, FieldRule>;

function byType<T extends string>(types: readonly T[], has: (type: T) => boolean, path = 'type'): When {
  return { [path]: types.filter(has) };
}

function channelRules(): Rules {
  const names = new Set(CHANNEL_TYPES.flatMap(settingsOf));
  const rules = [...names].map((name): [string, FieldRule] => [
    `settings.${name}`,
    {
      when: byType(CHANNEL_TYPES, (type) => hasSetting(type, name)),
      requiredFor: CHANNEL_TYPES.filter((type) => CHANNEL_ROWS[type].required.includes(name)),
      initial: CHANNEL_TYPES.map((type) => CHANNEL_ROWS[type].defaults[name]).find((value) => value !== undefined),
    },
  ]);
  return Object.fromEntries(rules);
}

function publishingRules(): Rules {
  const addressed = byType(PUBLISHING_TYPES, (type) => DESTINATION_ROWS[type].schemes.length > 0);
  return {
    ...Object.fromEntries(OWNED_SETTINGS.map((field) => [`settings.${field}`, { when: { type: ownersOf(field) } }])),
    'settings.url': {
      when: addressed,
      requiredFor: ADDRESSED_TYPES,
    },
    'settings.backup_url': { when: addressed },
    backup_enabled: { when: addressed },
    retry: { when: addressed },
    drm: { when: { type: PACKAGED_TYPES } },
    access: { when: { type: PACKAGED_TYPES } },
  };
}

function encodingRules(): Rules {
  const coded = VIDEO_CODECS.filter((codec) => codec !== 'copy');
  const video = ['bitrate', 'width', 'height', 'fps', 'aspect_ratio', 'deinterlace', 'hdr_mode', 'encoder', 'preset'];
  const audio = ['bitrate', 'channels', 'sample_rate'];
  const of = (kind: string, names: readonly string[], codecs: readonly string[]): [string, FieldRule][] =>
    names.map((name) => [
      `settings_${kind}.${name}`,
      { when: { [`settings_${kind}.active`]: [true], [`settings_${kind}.codec`]: codecs } },
    ]);
  const fields = Object.fromEntries([
    ...of('video', video, coded),
    ...of('video', ['h264'], ['h264']),
    ...of('video', ['hevc'], ['hevc']),
    ...of('video', ['hdr'], MASTERING_CODECS),
    ...of('audio', audio, ['mp4a', 'aacp', 'opus', 'mp3', 'mpga']),
  ]);
  return {
    ...fields,
    'settings_audio.channels': { ...fields['settings_audio.channels'], only: SOUND_CHANNELS },
    'settings_video.codec': { when: { 'settings_video.active': [true] }, without: LEGACY_VIDEO },
    'settings_audio.codec': { when: { 'settings_audio.active': [true] }, without: LEGACY_AUDIO },
  };
}

function targetFolderRules(): Rules {
  const names = new Set(
    TARGET_TYPES.flatMap((type) => [...TARGET_FIELDS[type].required, ...TARGET_FIELDS[type].optional]),
  );
  names.delete('type');
  const rules = [...names].map((name): [string, FieldRule] => [
    name,
    {
      when: byType(TARGET_TYPES, (type) =>
        [...TARGET_FIELDS[type].required, ...TARGET_FIELDS[type].optional].includes(name),
      ),
      requiredFor: TARGET_TYPES.filter((type) => TARGET_FIELDS[type].required.includes(name)),
    },
  ]);
  return Object.fromEntries(rules);
}

function drmProviderRules(): Rules {
  const names = new Set(PROVIDER_TYPES.flatMap((type) => FOREIGN_FIELDS[type]));
  const rules = [...names].map((name): [string, FieldRule] => [
    name,
    { when: byType(PROVIDER_TYPES, (type) => !FOREIGN_FIELDS[type].includes(name), 'provider_type') },
  ]);
  return Object.fromEntries(rules);
}

const FALLBACK: Rules = { 'fallback.filename': { when: { 'fallback.mode': ['file'] } } };
/** `alarms` has the seconds. */
const WATCH: Rules = {
  'detect.silence.seconds': { isLeftOut: true },
  'detect.black': { isLeftOut: true },
  'detect.frozen': { isLeftOut: true },
};
const BLACKOUT: Rules = {
  filename: { when: { mode: ['File'] }, requiredFor: ['File'] },
  keepAudio: { when: { mode: ['Black Frame', 'File'] } },
};
const OTHER_NAMES: Rules = { start_at: { isLeftOut: true }, end_at: { isLeftOut: true } };
const BOTH: Readonly<Record<string, () => Rules>> = {
  Channel: channelRules,
  Publishing: publishingRules,
  Encoding: encodingRules,
  TargetFolder: targetFolderRules,
  DrmProvider: drmProviderRules,
  RemoteFolder: () => ({ user: { when: { protocol: ['WEBDAV'] } }, password: { when: { protocol: ['WEBDAV'] } } }),
  Livestream: () => ({ ...FALLBACK, ...WATCH }),
};

export function rulesOf(operation: string): Rules {
  if (operation === 'updateLivestreamOptions') return { ...FALLBACK, ...WATCH };
  if (operation === 'runtimeApplyBlackout') return BLACKOUT;
  if (operation === 'addSchedule') return { start: { isNeeded: true }, end: { isNeeded: true }, ...OTHER_NAMES };
  if (operation === 'updateSchedule' || operation === 'schedule_livestream') return OTHER_NAMES;
  return BOTH[operation.replace(/^(?:add|update)/u, '')]?.() ?? {};
}

/** The bodies that a field of any content has by the type chosen beside it. */
export function bodiesOf(operation: string, field: string): [type: string, body: z.ZodRawShape][] | undefined {
  return /^(?:add|update)(?:LivestreamAction|PlannedAction)$/u.test(operation) && field === 'payload'
    ? Object.entries(ACTIONS).map(([type, { body }]) => [type, body])
    : undefined;
}
