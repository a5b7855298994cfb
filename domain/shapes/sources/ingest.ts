/** Ingest of pushed sources: the orders that a Device gets, what it reports of them, and what callers see. */
import { z } from 'zod/v3';

export const INGEST_STATES = ['off', 'waiting', 'receiving', 'refused', 'failed'] as const;
export const REFUSAL_REASONS = ['busy', 'key', 'sender', 'streamid', 'passphrase', 'codec'] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

export const ingestVideo = z
  .object({
    codec: z.string().describe('Name of the video codec, as ffmpeg has it.'),
    width: z.number().int().describe('Pixels.'),
    height: z.number().int().describe('Pixels.'),
    fps: z.number().nullable().describe('Pictures a second as measured; null until known.'),
    interlaced: z.boolean().nullable().describe('null: not known.'),
    rotation: z.number().describe('Degrees clockwise by which a player turns it.'),
    hdr: z.string().nullable().describe('HDR10, HLG or null.'),
  })
  .strict();
export type IngestVideo = z.infer<typeof ingestVideo>;

export const ingestAudio = z
  .object({
    codec: z.string().describe('Name of the audio codec, as ffmpeg has it.'),
    channels: z.number().int(),
    sample_rate: z.number().int().describe('Hz'),
    language: z.string().nullable().describe('As the source says it; null: it does not.'),
  })
  .strict();
export type IngestAudio = z.infer<typeof ingestAudio>;

const lastRefusal = z
  .object({
    at: z.string().describe('When it was.'),
    from: z.string().describe('Address of the encoder.'),
    reason: z.enum(REFUSAL_REASONS).describe('Why it was.'),
    message: z.string(),
  })
  .strict();
export type LastRefusal = z.infer<typeof lastRefusal>;

/** Each Device that listens has these. */
const placeFields = {
  url: z.string().describe('Address for the encoder that pushes; the key is masked.'),
  state: z.enum(INGEST_STATES),
  error: z.string().nullable().describe('Why the state is failed.'),
  from: z.string().nullable().describe('Address of the pusher.'),
  note: z.string().nullable().describe('Said when no other machine can reach the address.'),
};

export const ingestOutput = z
  .object({
    ...placeFields,
    since: z.string().nullable().describe('When the state was entered.'),
    bitrate_kbps: z.number(),
    video: ingestVideo.nullable().describe('The picture that comes; null: none.'),
    audio: z.array(ingestAudio).describe('Each track of sound that comes.'),
    captions: z
      .array(z.string())
      .describe('Caption channels that were seen; DVB subtitles and teletext, which are not carried.'),
    last_refusal: lastRefusal.nullable().describe('The last encoder that was not let in.'),
  })
  .strict()
  .describe('Ingest of a pushed source.');
export type Ingest = z.infer<typeof ingestOutput>;

/** A Channel may be listened for on several Devices. */
export const channelIngestOutput = ingestOutput
  .extend({
    backups: z
      .array(
        z.object({ deviceId: z.number().int(), name: z.string().describe('Of the Device.'), ...placeFields }).strict(),
      )
      .describe('Other Devices that listen (backupDeviceId of a Live stream): encoders may push to both.'),
  })
  .strict();
export type ChannelIngest = z.infer<typeof channelIngestOutput>;

/** State of one listener, as its Device reports it: the parts of `ingest` that the Device knows. */
export type IngestReport = Omit<Ingest, 'url' | 'note' | 'state'> & {
  channelId: number;
  state: 'waiting' | 'receiving' | 'refused' | 'failed';
};

/** `epoch` is the life of a push process, `seq` counts in it from 1: a receiver knows which ones it has. */
export interface IngestEvent {
  epoch: string;
  seq: number;
  at: string;
  channelId: number;
  kind: 'ingest_connected' | 'ingest_refused' | 'ingest_ended';
  severity: 'info' | 'warning';
  message: string;
  data: Record<string, unknown>;
}

/** The last events of a Device's ingest that the event log holds, one for each of the last epochs, newest last; the id is its deviceId. */
export interface IngestMark {
  id: number;
  epochs: Pick<IngestEvent, 'epoch' | 'seq'>[];
}

/** The form in which a Channel was last received; the id is its channelId. */
export interface KnownFormat {
  id: number;
  fps: number;
  width: number;
  height: number;
}

/** The addresses at which the listeners of a Device are reached. */
export interface IngestAddress {
  /** The address that they are bound to. */
  host: string;
  /** Host name for encoders on other machines. */
  publicHost: string;
  /** Host name for encoders that speak TLS; null without a certificate, left out by a Device of an earlier version, which takes no RTMPS. */
  secureHost?: string | null;
  /** ONAIR_INGEST_URL: base of the address that a router in between has; null without one. */
  url: string | null;
}
