/**
 * Checks of a command on a broadcast that need no encoder: on air, and at planning. Each answers findings; fields are those of the
 * operation's body.
 */
import type { StartRequest } from '../../ports/control.ts';
import type { Encoding } from '../../shapes/encodings/encoding.ts';
import type { FieldIssue } from '../../base/errors.ts';
import type { StartConfigEntry } from '../../shapes/broadcasts/livestream.ts';
import { hasBackupPath, isSinglePath, type Publishing } from '../../shapes/destinations/publishing.ts';
import type { Lookup } from '../../ports/resource.ts';
import { changeRowOf } from '../../shapes/changes/change-questions.ts';
import type { ChangeBody, ChangeKind } from '../../shapes/changes/changes.ts';
import { called, calledIn, listedIn } from '../../base/sentence.ts';
import type { View } from '../../ports/store.ts';
import { assetIssues, referenceIssues } from '../rows/references.ts';
import { FIXED_TYPES } from '../../types/channel-questions.ts';

/** Finds mistakes of a start that hold in any state of the store. */
export function startShapeIssues(request: StartRequest): FieldIssue[] {
  return [
    ...placeIssues(request),
    ...(request.startConfig ?? []).flatMap(({ qualities = [] }, index) =>
      qualities.flatMap((id, at): FieldIssue[] => {
        if (qualities.indexOf(id) === at) return [];
        const message = `Encoding ${id} is named twice; name each quality once`;
        return [{ field: `startConfig.${index}.qualities.${at}`, code: 'duplicate', message }];
      }),
    ),
  ];
}

function placeIssues({ cloudAccountId, deviceId, idEncoderGroup }: StartRequest): FieldIssue[] {
  if (cloudAccountId == null || (deviceId == null && idEncoderGroup == null)) return [];
  const message = 'a start is on the cloud platform or on a Device; leave out cloudAccountId or the other';
  return [{ field: 'cloudAccountId', code: 'ambiguous', message }];
}

/** Finds places that a start names and that do not exist, or not together. */
export function placeReferenceIssues(
  lookup: Lookup,
  { cloudAccountId, deviceId, idEncoderGroup }: StartRequest,
): FieldIssue[] {
  return [
    ...referenceIssues(lookup, 'deviceGroups', 'Device group', 'idEncoderGroup', idEncoderGroup),
    ...referenceIssues(lookup, 'devices', 'Device', 'deviceId', deviceId),
    ...referenceIssues(lookup, 'cloudAccounts', 'Cloud account', 'cloudAccountId', cloudAccountId),
    ...memberIssues(lookup, deviceId, idEncoderGroup),
  ];
}

function memberIssues(lookup: Lookup, deviceId: StartRequest['deviceId'], groupId: StartRequest['idEncoderGroup']) {
  const group = groupId == null ? undefined : lookup.get('deviceGroups', groupId);
  const device = deviceId == null ? undefined : lookup.get('devices', deviceId);
  if (group === undefined || device === undefined || group.devices.includes(device.id)) return [];
  const message =
    `${called('Device', device)} is not in ${called('Device group', group)}; ` +
    'name one of the two, or add it with updateDeviceGroup';
  return [{ field: 'deviceId', code: 'not_member', message, allowed: group.devices }];
}

/** Finds Destinations and renditions that are not bound, Destinations that are named twice, and backup paths that do not exist. */
export function startConfigIssues(
  lookup: Lookup,
  publishings: readonly Readonly<Publishing>[],
  ladder: readonly number[],
  startConfig: readonly StartConfigEntry[],
): FieldIssue[] {
  const ids = publishings.map(({ id }) => id);
  const unbound = (
    field: string,
    kind: 'Encoding' | 'Publishing',
    id: number,
    allowed: readonly number[],
  ): FieldIssue => {
    const message = `${calledIn(lookup, kind, id)} is not bound to this Live stream; bound are ${listedIn(lookup, kind, allowed)}`;
    return { field, code: 'not_bound', message, allowed };
  };
  return startConfig.flatMap(({ publishingId, backup, qualities = [] }, index): FieldIssue[] => {
    const at = `startConfig.${index}`;
    const publishing = publishings.find(({ id }) => id === publishingId);
    if (publishing === undefined) return [unbound(`${at}.publishingId`, 'Publishing', publishingId, ids)];
    if (isNamedBefore(startConfig, index)) return [namedTwice(lookup, `${at}.publishingId`, publishingId)];
    const strangers = qualities.filter((id) => !ladder.includes(id));
    return [
      ...(backup && !hasBackupPath(publishing) ? [noBackup(`${at}.backup`, publishing)] : []),
      ...strangers.map((id) => unbound(`${at}.qualities`, 'Encoding', id, ladder)),
    ];
  });
}

function namedTwice(lookup: Lookup, field: string, publishingId: number): FieldIssue {
  const message = `${calledIn(lookup, 'Publishing', publishingId)} is named twice; name each once`;
  return { field, code: 'duplicate', message };
}

function noBackup(field: string, publishing: Readonly<Publishing>): FieldIssue {
  const remedy = isSinglePath(publishing)
    ? 'it has a single path, so leave backup out'
    : 'set it with updatePublishing before the start, or leave backup out';
  return { field, code: 'no_url', message: `Destination "${publishing.name}" has no backup_url; ${remedy}` };
}

/** Why a change of the picture cannot be with these Encodings; `video` is enough of a blackout and of a switch, which sound alone has too. */
export function encodingObstacle(
  encodings: readonly Readonly<Encoding>[],
  stream: string,
  what: string,
  needs: 'video' | 'picture',
): string | undefined {
  const copied = encodings.find(copies);
  if (copied !== undefined)
    return (
      `${what} needs video that is encoded; Encoding "${copied.name}" of Live stream "${stream}" hands the source on as it is ` +
      '(codec copy). Start it with another Encoding.'
    );
  if (needs === 'video' || encodings.length === 0 || encodings.some(({ settings_video }) => settings_video.active))
    return undefined;
  return `${what} needs a picture; Live stream "${stream}" has sound alone.`;
}

function copies({ settings_video: video, settings_audio: audio }: Readonly<Encoding>): boolean {
  return video.active ? video.codec === 'copy' : audio.active && audio.codec === 'copy';
}

/** Finds what the fields of a body contradict, else the files that it names and that do not exist. */
export function bodyIssues<K extends ChangeKind>(view: View, kind: K, body: ChangeBody<K>): FieldIssue[] {
  const row = changeRowOf(kind);
  const contradictions = row.contradictions(body);
  if (contradictions.length > 0) return contradictions;
  return row.files(body).flatMap(({ field, fileType, filename }) => assetIssues(view, fileType, field, filename));
}

export function switchIssues(lookup: Lookup, { channelId }: ChangeBody<'source'>, field = 'channelId'): FieldIssue[] {
  const channel = lookup.get('channels', channelId);
  if (channel === undefined) return referenceIssues(lookup, 'channels', 'Channel', field, channelId);
  const { type } = channel;
  if (!FIXED_TYPES.includes(type)) return [];
  const message = `${called('Channel', channel)} is of type ${type}, which cannot be switched to on air; choose one that is pulled or pushed live`;
  return [{ field, code: 'unsupported', message, refused: FIXED_TYPES }];
}

/** `bound` are the Publishings that can be switched; `since` says from when, where that is not now. */
export function pathIssues(
  lookup: Lookup,
  { publishings: entries }: ChangeBody<'paths'>,
  bound: readonly number[],
  since = '',
): FieldIssue[] {
  return entries.flatMap((entry, index) => {
    const { publishingId, primary, backup } = entry;
    const issue = (field: string, code: string, message: string, more: object = {}): FieldIssue[] => [
      { field: `publishings.${index}${field}`, code, message, ...more },
    ];
    const publishing = lookup.get('publishings', publishingId);
    if (!bound.includes(publishingId) || publishing === undefined) {
      const who = calledIn(lookup, 'Publishing', publishingId);
      const message = `${who} is not bound to this Live stream${since}; bound are ${listedIn(lookup, 'Publishing', bound)}`;
      return issue('.publishingId', 'not_bound', message, { allowed: bound });
    }
    if (isNamedBefore(entries, index)) return [namedTwice(lookup, `publishings.${index}.publishingId`, publishingId)];
    if (primary === undefined && backup === undefined)
      return issue('', 'required', `names no path of "${publishing.name}"; send primary, backup or both`);
    return backup === true && isMissingBackup(publishing)
      ? issue(
          '.backup',
          'no_url',
          `Destination "${publishing.name}" has no backup_url; set it with updatePublishing and start the Live stream anew`,
        )
      : [];
  });
}

function isNamedBefore(entries: readonly { publishingId: number }[], index: number): boolean {
  return entries.findIndex(({ publishingId }) => publishingId === entries[index]!.publishingId) < index;
}

/** A type with a single path has no backup path to miss. */
function isMissingBackup(publishing: Readonly<Publishing>): boolean {
  return !isSinglePath(publishing) && !hasBackupPath(publishing);
}
