import { z } from 'zod/v3';
import type { Capabilities } from './device.ts';
import { nameField, stampFields } from '../../base/schema.ts';
import { validationFields, type Validation } from '../../base/validation.ts';
import { CLOUD_INPUTS } from '../../types/channel-questions.ts';
import { CLOUD_OUTPUTS } from '../../types/destination-questions.ts';

/** The managed cloud platform is another deployment of this service: client_id is its user id, password its API token. */
const writable = {
  client: nameField.describe('Name of the client, 1-100 characters, unique.'),
  client_id: z.string().trim().min(1).max(100).describe('User id at the cloud platform, 1-100 characters.'),
  enabled: z.boolean().default(true).describe('Whether Live streams may use it.'),
};

export const cloudAccountCreate = {
  ...writable,
  // A bearer token travels in a header, so a character that no header can carry could never be right.
  password: z
    .string()
    .min(1)
    .max(512)
    .regex(/^[\x21-\x7e]*$/u, 'must be printable ASCII without spaces')
    .describe('API token at the cloud platform, 1-512 characters. Write-only.'),
};
export const cloudAccountOutput = z
  .object({
    ...stampFields,
    ...writable,
    has_password: z.boolean().describe('Whether a password is stored.'),
    ...validationFields,
  })
  .strict()
  .describe('Cloud account: link to the managed cloud platform.');
export type CloudAccount = Omit<z.infer<typeof cloudAccountOutput>, 'has_password'> & Validation & { password: string };

/** The platform's answer about the caller (GET /security/me); its other fields do not matter here. */
export const platformCaller = z.object({ data: z.object({ id: z.number().int(), username: z.string().max(255) }) });

/** All that the product can do; the platform's own Devices refuse what they cannot do. */
export const PLATFORM_CAPABILITIES: Capabilities = {
  ffmpeg_version: 'managed',
  video_encoders: ['h264', 'hevc', 'av1', 'vp9', 'copy'],
  hdr_encoders: ['hevc', 'av1', 'vp9'],
  audio_encoders: ['mp4a', 'opus', 'mp3', 'copy'],
  protocols: ['http', 'https', 'rist', 'rtmp', 'rtmps', 'rtp', 'srt', 'udp'],
  inputs: [...CLOUD_INPUTS],
  outputs: [...CLOUD_OUTPUTS],
  missing: [],
};
