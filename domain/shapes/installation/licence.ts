import { z } from 'zod/v3';
import { instantField, stampFields } from '../../base/schema.ts';

/** Features that a licence can unlock or count. */
export const LICENCE_FEATURES = ['editor', 'videosite', 'cloud', 'channels', 'publishing_points'] as const;
export type LicenceFeature = (typeof LICENCE_FEATURES)[number];

const deniedField = z
  .array(z.enum(['cloud']))
  .max(1)
  .describe('What it says no to: no Live stream starts at a Cloud account unless another licence has that feature.');

export const licenceClaims = z
  .object({
    licence_id: z.string().min(1).max(100).describe('Serial of the licence; installing it again changes nothing.'),
    customer: z.string().min(1).max(255).describe('Who it was issued to.'),
    features: z.array(z.enum(LICENCE_FEATURES)).min(1).describe('What it unlocks.'),
    denied: deniedField.optional(),
    quantity: z.number().int().min(1).max(100_000).describe('For channels and publishing_points: how many.'),
    issued_at: instantField,
    expires_at: instantField.nullable().describe('When it ends; null = never.'),
  })
  .strict();
export type LicenceClaims = z.infer<typeof licenceClaims>;

export const licenceOutput = z
  .object({
    ...stampFields,
    ...licenceClaims.shape,
    denied: deniedField,
    active: z.boolean().describe('Whether it is in force now.'),
  })
  .strict()
  .describe('Licence: a signed file that unlocks features.');
export type Licence = Omit<z.infer<typeof licenceOutput>, 'active' | 'denied'> & {
  /** Left out in files that deny nothing, and in rows of earlier versions. */
  denied?: 'cloud'[] | undefined;
  /** The signed file as it was installed. */
  jws: string;
};

/** `typ` of the file's header: a file that the same key signed for another purpose is no licence (RFC 8725 §3.11). */
export const LICENCE_FILE_TYPE = 'onair-license';
/** 16 KB: a licence is some 500 bytes, and a longer file is none. */
export const LICENCE_MAX_LENGTH = 16_384;

/** A licence ends at its very instant. */
export function isActive(licence: Pick<Licence, 'expires_at'>, now: string): boolean {
  return licence.expires_at === null || Date.parse(now) < Date.parse(licence.expires_at);
}

/** The signed file is not answered: with it anybody could install the licence elsewhere. */
export function presentLicence({ jws: _file, ...row }: Readonly<Licence>, now: string): z.infer<typeof licenceOutput> {
  return { ...row, denied: row.denied ?? [], active: isActive(row, now) };
}
