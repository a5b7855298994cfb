import { z } from 'zod/v3';
import { reference, secretField } from '../base/schema.ts';
import { MAX_STREAM_ID_BYTES } from '../network/delivery-address.ts';
import { ristBuffer, ristIn, ristKeyBits, ristOut, ristSecret } from '../network/rist.ts';
import { srtEncryption, srtPassphrase } from '../network/srt.ts';

const port = z.number().int().min(1).max(65535);

/** An SDI signal has so many; an NDI source may have more, which are not taken. */
export const MAX_CHANNELS = 16;

/** One flat object for all types; the row of a type says which fields it needs and may have. */
const channelSettings = z
  .object({
    url: z.string().min(1).max(2048).describe('Stream: http(s), rtmp(s), rtsp(s), udp, rtp, rist.'),
    transport: z.enum(['auto', 'tcp', 'udp']).describe('RTSP (auto: TCP, else UDP).'),
    rist: ristIn.describe('For rist://.'),
    program: z.number().int().min(0).max(65535).describe('Stream: program (default: first).'),
    audiotrack: z.number().int().min(0).max(63).describe('Stream: audio track (default: 0).'),
    filename: z.string().min(1).max(255).describe('File: Asset in the bucket files.'),
    loop: z.boolean().describe('File: repeat (default true).'),
    mode: z.enum(['caller', 'listener']).describe('SRT (default caller).'),
    host: z.string().min(1).max(255).describe('SRT: to call, or to listen on.'),
    port: port.describe('UDP or TCP; cloud default 20000 + id.'),
    streamid: z.string().min(1).max(MAX_STREAM_ID_BYTES).describe('SRT. Answered masked.'),
    latency_ms: z.number().int().min(20).max(8000).describe('SRT: ms (default 200).'),
    passphrase: srtPassphrase.describe('SRT. Write-only.'),
    encryption: srtEncryption,
    app: z
      .string()
      .max(64)
      .regex(/^[\w-]{1,64}$/u, 'letters, digits, _ and - only')
      .describe('RTMP-Push: application.'),
    tls: z.boolean().describe('RTMPS only.'),
    stream_key: secretField(1, 255).describe('RTMP-Push: key (default: made). Masked.'),
    allowed_senders: z.array(z.string().min(1).max(49)).max(32).describe('Pushed: networks (CIDR).'),
    cloudAccountId: reference('Cloud account').describe('Cloud types: Cloud account.'),
    recovery: z.boolean().describe('UDP-R Cloud: false = plain UDP, else RIST.'),
    buffer_ms: ristBuffer.describe('UDP-R Cloud: ms (default 1000).'),
    secret: ristSecret.describe('UDP-R Cloud. Write-only.'),
    key_bits: ristKeyBits.describe('UDP-R Cloud: AES (default 128).'),
    deviceId: reference('Device').describe('SDI, AES/EBU: Device.'),
    input: z.number().int().min(0).max(63).describe('SDI, AES/EBU: input, from 0.'),
    source_name: z.string().min(1).max(255).describe('NDI: HOST (name).'),
    discovery: z.enum(['auto', 'typed']).describe('NDI: default auto.'),
    ndi_hosts: z.array(z.string().min(1).max(255)).max(16).describe('NDI: hosts asked.'),
    audio_groups: z.array(z.number().int()).max(MAX_CHANNELS).describe('1, 2, 6, 8 a track.'),
    video_id: z
      .string()
      .max(11)
      .regex(/^[\w-]{11}$/u, 'must be 11 characters')
      .describe('VideoSite Live: id.'),
    has_passphrase: z.boolean().describe('Answered in place of the passphrase.'),
    has_secret: z.boolean().describe('Answered in place of the secret.'),
  })
  .partial()
  .strict();
export type ChannelSettings = Omit<z.infer<typeof channelSettings>, 'has_passphrase' | 'has_secret'>;
/** As they are answered. */
export const shownSettings = channelSettings.extend({ rist: ristOut.optional().describe('For rist://.') }).strict();

const CLEARABLE = [
  ...['transport', 'program', 'audiotrack', 'streamid', 'passphrase', 'port', 'allowed_senders'],
  ...['rist', 'buffer_ms', 'secret', 'key_bits', 'ndi_hosts', 'audio_groups'],
];
/** Fields without a default: null clears them. Stored rows hold no null (completeSettings). */
function clearable<S extends z.ZodRawShape>(object: z.ZodObject<S, 'strict'>): z.ZodObject<S, 'strict'> {
  const fields = CLEARABLE.map((name) => {
    const field = object.shape[name] as z.ZodOptional<z.ZodTypeAny>;
    return [name, field.unwrap().nullable().optional()];
  });
  return object.extend(Object.fromEntries(fields) as S).strict() as unknown as z.ZodObject<S, 'strict'>;
}

/** As callers send them. */
export const sentSettings = clearable(channelSettings.omit({ has_passphrase: true, has_secret: true }));
