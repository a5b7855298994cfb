import { z } from 'zod/v3';
import type { FieldIssue } from '../../base/errors.ts';
import type { RecordingTrack } from './recording.ts';
import { instantField, maskUrl } from '../../base/schema.ts';
import { serviceUrlIssue } from '../sources/service-url.ts';

const text = z.string().trim().min(1).max(255).nullable().default(null);

/** Writable fields; the key of the account beside them is write-only. */
export const transcriptionConfigCreate = {
  tenant_url: z
    .string()
    .trim()
    .min(1)
    .max(2048)
    .nullable()
    .default(null)
    .describe('http(s) URL of the tenant at the provider, without credentials; null: not set up.'),
  default_collection: text.describe('Id of the collection that assets are handed to; null: none.'),
  default_template: text.describe('Id of the template that assets are processed with; null: none.'),
  // The key travels in a header, so a character that no header can carry could never be right.
  api_key: z
    .string()
    .min(1)
    .max(2048)
    .regex(/^[\x21-\x7e]*$/u, 'must be printable ASCII without spaces')
    .nullable()
    .default(null)
    .describe('API key of the account, 1-2048 characters; null removes it. Write-only.'),
};
export const transcriptionConfigOutput = z
  .object({
    tenant_url: z.string().nullable().describe('URL of the tenant, query values masked; null: not set up.'),
    default_collection: z.string().nullable().describe('Id of the collection that assets are handed to.'),
    default_template: z.string().nullable().describe('Id of the template that assets are processed with.'),
    has_api_key: z.boolean().describe('Whether an API key is stored.'),
    licensed: z
      .boolean()
      .describe('Whether a licence with the feature editor is in force, which the provider is asked with.'),
    updated_at: instantField.nullable().describe('When it was last changed; null = never set up.'),
  })
  .strict()
  .describe('Settings of the transcription integration.');

/** One row, id 1. */
export interface TranscriptionConfig {
  id: number;
  created_at: string;
  updated_at: string;
  tenant_url: string | null;
  default_collection: string | null;
  default_template: string | null;
  api_key: string | null;
}

/** The fields with which the provider can be called. */
export type TranscriptionAccess = Pick<TranscriptionConfig, 'default_collection' | 'default_template'> & {
  tenant_url: string;
  api_key: string;
};

export function transcriptionConfigIssues({ tenant_url: url }: Pick<TranscriptionConfig, 'tenant_url'>): FieldIssue[] {
  if (url === null) return [];
  const query = url.includes('?') ? 'must not have a query (?)' : undefined;
  const message = serviceUrlIssue(url) ?? query;
  return message === undefined
    ? []
    : [{ field: 'tenant_url', code: 'invalid_url', message, allowed: ['http', 'https'] }];
}

export function presentTranscriptionConfig(
  row: Readonly<TranscriptionConfig> | undefined,
  licensed: boolean,
): z.infer<typeof transcriptionConfigOutput> {
  return {
    tenant_url: row?.tenant_url == null ? null : maskUrl(row.tenant_url),
    default_collection: row?.default_collection ?? null,
    default_template: row?.default_template ?? null,
    has_api_key: row?.api_key != null,
    licensed,
    updated_at: row?.updated_at ?? null,
  };
}

const idText = z.string().min(1).max(255);

/** The id becomes part of a path; it begins with a letter or digit, so that it can name no other place. */
export const assetIdField = z
  .string()
  .max(255)
  .regex(/^[A-Za-z0-9][\w.:-]*$/u, 'must be letters, digits, _ . : - and begin with a letter or digit')
  .describe('Id of the asset at the provider, 1-255 characters.');

/** The provider's answer, as docs/transcription.md describes it. Its bounds are ours too: an answer past them is refused, not cut. */
export const transcriptionAccount = z
  .object({
    account_id: idText.describe('Id of the account at the provider.'),
    name: z.string().max(255).describe('Name of the account.'),
    minutes_used: z.number().min(0).describe('Minutes processed in this billing period.'),
    minutes_included: z.number().min(0).nullable().describe('Minutes of the contract; null: without a limit.'),
  })
  .strict()
  .describe('Account at the transcription provider.');
export const transcriptionItem = z
  .object({
    id: idText.describe('Id at the provider.'),
    name: z.string().max(255).describe('Name at the provider.'),
  })
  .strict();
export const transcriptionAssetStatus = z
  .object({
    asset_id: idText.describe('Id of the asset at the provider.'),
    status: z.enum(['queued', 'processing', 'done', 'failed']).describe('How far its processing is.'),
    progress: z.number().min(0).max(100).describe('Per cent.'),
    error: z.string().max(2000).nullable().describe('Why it failed, in the words of the provider; null otherwise.'),
    updated_at: instantField.describe('When the provider last changed it.'),
  })
  .strict()
  .describe('Processing status of an asset handed to the transcription provider.');
/** All collections or templates of a tenant come in one answer. */
export const transcriptionItems = z.object({ items: z.array(transcriptionItem.strip()).max(1000) });
export type TranscriptionAccount = z.infer<typeof transcriptionAccount>;
export type TranscriptionItem = z.infer<typeof transcriptionItem>;
export type TranscriptionAssetStatus = z.infer<typeof transcriptionAssetStatus>;

/** Facts that are handed over beside the media, with which the provider checks it and finds it again. */
export interface TranscriptionHandOff {
  title: string;
  filename: string;
  content_type: string;
  size_bytes: number;
  /** Hexadecimal. */
  sha256: string;
  duration_seconds: number | null;
  /** ISO 639-2/B language of the audio; null when it is not known. */
  language: string | null;
  collection: string | null;
  template: string | null;
  /** The clip's source; null for a clip without a known Recording. */
  source: TranscriptionSource | null;
}

export interface TranscriptionSource {
  recordingId: number;
  livestreamId: number;
  livestream_name: string;
  started_at: string;
  ended_at: string | null;
  tracks: RecordingTrack[];
}

export const transcriptionHandedOff = z.object({ asset_id: assetIdField }).describe('Id that the provider gave it.');
export const handedOffOutput = z
  .object({
    asset_id: assetIdField,
    collection: z.string().nullable().describe('Id of the collection that it was put into; null: none.'),
    template: z.string().nullable().describe('Id of the template that it is processed with; null: none.'),
    size_bytes: z.number().int().describe('Of the media.'),
    sha256: z.string().describe('Of the media, hexadecimal; the provider has checked it.'),
  })
  .strict()
  .describe('Media that the transcription provider has taken.');
