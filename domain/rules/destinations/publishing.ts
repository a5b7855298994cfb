import { z } from 'zod/v3';
import { drmIssues } from '../../shapes/destinations/drm.ts';
import { invalidInput, type FieldIssue } from '../../base/errors.ts';
import { defineResource } from '../../ports/resource.ts';
import { DEFAULT_RIST } from '../../network/rist.ts';
import { addressPassphrase, lostEncryption, srtIssues, srtSecrecy, storedKeyBits } from '../../network/srt.ts';
import {
  hasBackupPath,
  presentPublishing,
  publishingCreate,
  publishingIssues,
  publishingOutput,
  srtAddresses,
  usesRist,
  type Publishing,
} from '../../shapes/destinations/publishing.ts';
import { emptyIssues, settledSettings, foreignIssues } from './publishing-settings.ts';
import { dependentFitIssues } from '../encodings/codec-fit.ts';
import { drmUseIssues } from './drm-use.ts';
import { assertRules, referenceIssues, withRow } from '../rows/references.ts';
import {
  actionUsers,
  changeUsers,
  distinctUsers,
  groupUsers,
  livestreamUsers,
  runUsers,
} from '../rows/resource-users.ts';
import { andList } from '../../base/sentence.ts';
import { ownsSetting, PACKAGED_TYPES } from '../../types/destination-questions.ts';
import type { PublishingSettings } from '../../types/destination-settings.ts';
import { DESTINATION_ROWS, PUBLISHING_TYPES } from '../../types/destination-types.ts';

export const publishingResource = defineResource({
  collection: 'publishings',
  noun: 'Publishing',
  idParam: 'publishingId',
  shape: publishingCreate,
  output: publishingOutput,
  shortFields: ['id', 'name', 'type', 'primary_enabled', 'backup_enabled', 'description'],
  filters: { type: z.enum(PUBLISHING_TYPES).optional().describe('Only Publishings of this type.') },
  complete: (row, present, sent) => {
    const settings = settledSettings(row, present);
    const sentBlocks = sent?.['settings'] as Partial<PublishingSettings> | undefined;
    const srt = { ...settings.srt, encryption: storedKeyBits(settings.srt, sentBlocks?.srt) };
    return { ...row, settings: { ...settings, srt, rist: ristOf(settings, sentBlocks) } };
  },
  check: (row, view, present, news) => {
    const sent = news?.['settings'];
    const issues = [
      ...publishingIssues(row),
      ...lostSecrecyIssues(row, present, sent as Partial<PublishingSettings> | undefined),
      ...foreignIssues(row, sent),
      ...emptyIssues(row),
    ];
    if (issues.length > 0) throw invalidInput(issues);
    const changed = withRow(view, 'publishings', row);
    assertRules([
      ...drmIssues(row),
      ...secrecyIssues(row, sent as Partial<PublishingSettings> | undefined),
      ...backupIssues(row),
      ...retryIssues(row),
      ...accessIssues(row),
      ...drmUseIssues(row, view, present),
      ...referenceIssues(view, 'remoteFolders', 'Remote Folder', 'settings.remotefolder', row.settings.remotefolder),
      ...dependentFitIssues(view, changed, 'publishings', present?.id, 'type'),
    ]);
  },
  users: (view, id) =>
    distinctUsers([
      ...livestreamUsers(view, 'publishingId', id),
      ...groupUsers(view, 'publishingGroups', 'Publishing group', id),
      ...runUsers(view, 'boundPublishings', id),
      ...changeUsers(view, (row, body) => row.rows(body).publishings?.includes(id) === true),
      ...actionUsers(
        view,
        'start',
        ({ startConfig }) => startConfig?.some((entry) => entry.publishingId === id) === true,
      ),
    ]),
  present: presentPublishing,
});

/** A block that is stored goes with its address; one that is sent stays and is checked. */
function ristOf(
  settings: PublishingSettings,
  sent: Partial<PublishingSettings> | undefined,
): PublishingSettings['rist'] {
  const { rist = null } = settings;
  if (usesRist(settings)) return rist ?? DEFAULT_RIST;
  return sent?.rist == null ? null : rist;
}

/** 0 is the key length of a caller who sends none, too; only a 0 that was sent contradicts a passphrase in the address. */
function secrecyIssues(row: Publishing, sent: Partial<PublishingSettings> | undefined): FieldIssue[] {
  const field = 'settings.srt.encryption';
  const isInAddress = srtAddresses(row).some((address) => addressPassphrase(address) !== '');
  if (row.settings.srt.passphrase === null && isInAddress && sent?.srt?.encryption === 0) {
    const message = 'is 0 beside a passphrase in the address; leave it out, or take the passphrase out of the address';
    return [{ field, code: 'incompatible', message, allowed: [128, 192, 256] }];
  }
  return srtIssues(row.settings.srt, field);
}

/** A path whose address or passphrase changes keeps being encrypted. */
function lostSecrecyIssues(
  row: Publishing,
  present: Readonly<Publishing> | undefined,
  sent: Partial<PublishingSettings> | undefined,
): FieldIssue[] {
  // A key length that is stored asks for a passphrase by itself.
  const isSrt = [present?.type, row.type].every((type) => type !== undefined && ownsSetting(type, 'srt'));
  if (present === undefined || !isSrt || row.settings.srt.encryption !== 0) return [];
  const before = presentPublishing(present).settings.srt.encryption;
  const paths = (['url', 'backup_url'] as const).flatMap((path) =>
    present.settings[path] === null ? [] : (row.settings[path] ?? []),
  );
  const after = paths
    .filter((address) => URL.canParse(address))
    .map((address) => srtSecrecy(row.settings.srt, address).keyBits);
  return after.includes(0) ? lostEncryption(before, sent?.srt?.encryption, 'settings.srt.passphrase') : [];
}

function retryIssues({ retry }: Publishing): FieldIssue[] {
  if (retry.initial_delay_ms <= retry.max_delay_ms) return [];
  const message = `${retry.initial_delay_ms} is more than retry.max_delay_ms (${retry.max_delay_ms}); the first delay cannot be the longest`;
  return [{ field: 'retry.initial_delay_ms', code: 'too_large', message }];
}

function backupIssues(row: Publishing): FieldIssue[] {
  if (!row.backup_enabled || hasBackupPath(row)) return [];
  const message = 'is true, but there is no backup path to deliver on; set settings.backup_url as well, or send false';
  return [{ field: 'backup_enabled', code: 'no_url', message }];
}

/** Only outputs that a Device serves itself can ask their viewers for a token. */
function accessIssues({ type, settings, access }: Publishing): FieldIssue[] {
  const { packaged } = DESTINATION_ROWS[type];
  if (access !== 'token' || (packaged !== null && settings.url === null)) return [];
  const why = packaged === null ? `of type ${type}` : 'with settings.url, which its origin serves';
  const message = `token does not belong to a Destination ${why}; a Device asks for it on ${andList(PACKAGED_TYPES)} without a url`;
  return [{ field: 'access', code: 'not_served_here', message }];
}
