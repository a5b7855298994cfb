/** Ingest of pushed sources: the orders that a Device gets, what it reports of them, and what callers see. */
import { z } from 'zod/v3';
import type { Channel, ChannelSettings } from './channel.ts';

const INGEST_STATES = ['off', 'waiting', 'receiving', 'refused', 'failed'] as const;
const REFUSAL_REASONS = ['busy', 'key', 'sender', 'streamid', 'passphrase'] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

export const ingestVideo = z
  .object({
    codec: z.string(),
    width: z.number().int(),
    height: z.number().int(),
    fps: z.number().nullable().describe('Pictures a second as measured; null until known.'),
    interlaced: z.boolean().nullable(),
    rotation: z.number().describe('Degrees clockwise by which a player turns it.'),
    hdr: z.string().nullable().describe('HDR10, HLG or null.'),
  })
  .strict();
export type IngestVideo = z.infer<typeof ingestVideo>;

export const ingestAudio = z
  .object({
    codec: z.string(),
    channels: z.number().int(),
    sample_rate: z.number().int().describe('Hz'),
    language: z.string().nullable(),
  })
  .strict();
export type IngestAudio = z.infer<typeof ingestAudio>;

const lastRefusal = z
  .object({ at: z.string(), from: z.string(), reason: z.enum(REFUSAL_REASONS), message: z.string() })
  .strict();
export type LastRefusal = z.infer<typeof lastRefusal>;

export const ingestOutput = z
  .object({
    url: z.string().describe('Address for the encoder that pushes; the key is masked.'),
    state: z.enum(INGEST_STATES),
    error: z.string().nullable().describe('Why the state is failed.'),
    from: z.string().nullable().describe('Address of the pusher.'),
    since: z.string().nullable().describe('When the state was entered.'),
    bitrate_kbps: z.number(),
    video: ingestVideo.nullable(),
    audio: z.array(ingestAudio),
    captions: z.array(z.string()),
    note: z.string().nullable().describe('Said when no other machine can reach the address.'),
    last_refusal: lastRefusal.nullable(),
  })
  .strict()
  .describe('Ingest of a pushed source.');
export type Ingest = z.infer<typeof ingestOutput>;

/** A listener that a Device keeps open; the settings hold its secrets. */
export interface IngestOrder {
  channelId: number;
  name: string;
  type: 'RTMP-Push' | 'SRT';
  /** `allowed_senders`: networks (CIDR) that alone may send; empty or left out, everybody may. */
  settings: ChannelSettings & { allowed_senders?: string[] };
}

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

/** The last event of a Device's ingest that the event log holds; the id is its deviceId. */
export interface IngestMark {
  id: number;
  epoch: string;
  seq: number;
}

/** Where the listeners of a Device are reached. */
export interface IngestAddress {
  /** The address that they are bound to. */
  host: string;
  /** Host name for encoders on other machines. */
  publicHost: string;
  /** ONAIR_INGEST_URL: base of the address that a router in between has; null without one. */
  url: string | null;
}

/** True for a Channel whose source calls this system: its Device listens for it all the time. */
export function isPushed({ type, settings }: Pick<Channel, 'type' | 'settings'>): boolean {
  return type === 'RTMP-Push' || (type === 'SRT' && settings.mode === 'listener');
}
