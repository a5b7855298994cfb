import type { z } from 'zod/v3';
import { AppError, invalidInput, ruleViolated, unlicensed } from '../../base/errors.ts';
import { hasFeature } from '../installation/licence-limits.ts';
import { mergePatch } from '../../base/schema.ts';
import type { View } from '../../ports/store.ts';
import {
  presentTranscriptionConfig,
  transcriptionConfigIssues,
  type transcriptionConfigOutput,
  type TranscriptionAccess,
  type TranscriptionConfig,
} from '../../shapes/media/transcription.ts';

/** The collection has one row. */
export const CONFIG_ID = 1;

type Patch = Partial<Pick<TranscriptionConfig, 'tenant_url' | 'default_collection' | 'default_template' | 'api_key'>>;

/** The row with the patch applied. Throws AppError version_mismatch or invalid_input. */
export function changedConfig(
  view: View,
  patch: Patch,
  now: string,
  expectedVersions: readonly number[] | undefined,
): TranscriptionConfig {
  const version = view.version('transcription', CONFIG_ID);
  if (expectedVersions?.includes(version) === false) {
    throw new AppError(
      'version_mismatch',
      `The transcription settings have changed since they were read: their ETag is "${version}". Read them again and repeat the change.`,
      { facts: { etag: `"${version}"` } },
    );
  }
  const present = view.get('transcription', CONFIG_ID) ?? { ...EMPTY, created_at: now, updated_at: now };
  const row = { ...mergePatch(present, withoutMask(patch, present)), updated_at: now };
  const issues = transcriptionConfigIssues(row);
  if (issues.length > 0) throw invalidInput(issues);
  return row;
}

const EMPTY = { id: CONFIG_ID, tenant_url: null, default_collection: null, default_template: null, api_key: null };

/** A URL that is sent back as it was answered is no change. */
function withoutMask(patch: Patch, present: TranscriptionConfig): Patch {
  const { tenant_url, ...rest } = patch;
  return tenant_url === presentTranscriptionConfig(present, false).tenant_url ? rest : patch;
}

/** The settings as they are answered, and their version; undefined before anything was set. */
export function shownConfig(
  view: View,
  now: string,
): { data: z.infer<typeof transcriptionConfigOutput>; version?: number } {
  const data = presentTranscriptionConfig(view.get('transcription', CONFIG_ID), hasFeature(view, 'editor', now));
  const version = view.version('transcription', CONFIG_ID);
  return { data, ...(version > 0 && { version }) };
}

/** Throws AppError forbidden without the licence feature, rule_violated while the integration is not set up. */
export function transcriptionAccess(view: Pick<View, 'get' | 'find'>, now: string): TranscriptionAccess {
  if (!hasFeature(view, 'editor', now)) {
    throw unlicensed(
      'Transcription needs a licence with the feature editor, and none is in force. Install one with installLicense.',
      { licence_feature: 'editor', remedy_operation: 'installLicense' },
    );
  }
  const config = view.get('transcription', CONFIG_ID);
  const { tenant_url = null, api_key = null } = config ?? {};
  if (config !== undefined && tenant_url !== null && api_key !== null) return { ...config, tenant_url, api_key };
  const missing = [...(tenant_url === null ? ['tenant_url'] : []), ...(api_key === null ? ['api_key'] : [])];
  throw ruleViolated(
    `Transcription is not set up: ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing. Set it with updateTranscriptionConfig.`,
    missing.map((field) => ({ field, code: 'required', message: 'is not set; set it with updateTranscriptionConfig' })),
  );
}
