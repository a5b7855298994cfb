/** The forms of the answers of a Device to calls. */
import { z } from 'zod/v3';
import { capabilitiesField, encodingTrialField } from '../device.ts';
import type { DeviceHello } from '../device-link.ts';
import type { IngestAddress } from '../ingest.ts';
import type { SentPicture } from '../live-picture.ts';
import type { DeviceProbe } from '../probe.ts';
import { count, list, measure, orNoMeasure, orNull, sentence, shapeOf, text, title, word } from './fields.ts';
import { audioFacts, heldRecording, videoFacts } from './messages.ts';
import { runReport } from './run-report.ts';

const MAX_RUNS = 20_000;
const MAX_RECORDINGS = 200_000;
/** An order has the rows that a run is made of. */
const MAX_SEALED_CHARS = 4 << 20;
/** A picture of 1080p in base64 has 2 MB at most. */
const MAX_PICTURE_CHARS = 8 << 20;

const words = list(word, 500);
const capabilities = capabilitiesField.strip().extend({
  ffmpeg_version: orNull(word),
  video_encoders: words,
  audio_encoders: words,
  protocols: words,
  inputs: words,
  outputs: words,
  encryption: words.optional(),
  sandbox: capabilitiesField.shape.sandbox.catch(undefined),
  missing: list(z.object({ feature: title, needs: sentence }), 200),
});

/** An address is shown, given to viewers and fetched from: it names a host and nothing secret. */
const mediaUrl = z.string().max(500).refine(isWebAddress, 'must be an address of http or https');

function isWebAddress(given: string): boolean {
  if (!URL.canParse(given)) return false;
  const { protocol, username, password, search, hash } = new URL(given);
  return /^https?:$/u.test(protocol) && [username, password, search, hash].every((part) => part === '');
}

const host = z.string().regex(/^[\w.:%[\]-]{1,255}$/u);
/** Encoders are told it: one that is no address is left out as by earlier versions, and loopback is named in its place. */
const ingestAddress: z.ZodType<IngestAddress, z.ZodTypeDef, unknown> = z.object({
  host,
  publicHost: host,
  url: orNull(
    z
      .string()
      .max(500)
      .refine((given) => URL.canParse(given) && new URL(given).hostname !== ''),
  ),
});

export const deviceHello = shapeOf<DeviceHello>()({
  capabilities,
  isProbing: z.boolean().optional().catch(undefined),
  mediaUrl,
  cores: z.number().finite().positive(),
  encodingTrial: encodingTrialField.strip().optional().catch(undefined),
  isTrying: z.boolean().optional().catch(undefined),
  runs: list(runReport, MAX_RUNS),
  // What is no mark of this store is taken for none where it is opened.
  mark: z.string().max(MAX_SEALED_CHARS).optional().catch(undefined),
  ingest: ingestAddress.optional().catch(undefined),
}) as unknown as z.ZodType<DeviceHello, z.ZodTypeDef, unknown>;

/** Sealed: what is not of this store is none when it is opened. */
export const orderAnswer = z.object({ order: z.string().max(MAX_SEALED_CHARS) });

export const stopAnswer = z.object({ known: z.boolean().optional() }).nullable();

export const recordingsAnswer = z.object({ recordings: list(heldRecording, MAX_RECORDINGS) });

/** The names are judged with the Recording that was asked for. */
export const filesAnswer = z.object({
  files: list(z.object({ name: z.string().max(255), path: z.string().max(4096), bytes: count }), 10_000),
});

export const jpegAnswer = z.object({ jpeg: z.string().max(MAX_PICTURE_CHARS) });

export const pictureAnswer = shapeOf<SentPicture>()({
  jpeg: z.string().max(MAX_PICTURE_CHARS),
  taken_at: z.number().finite(),
  width: count,
  peaks: z.tuple([measure, measure]).optional().catch(undefined),
  flags: count,
}) as unknown as z.ZodType<SentPicture, z.ZodTypeDef, unknown>;

export const probeAnswer: z.ZodType<DeviceProbe, z.ZodTypeDef, unknown> = shapeOf<DeviceProbe>()({
  took_ms: count,
  bitrate_kbps: z.number().finite().nonnegative(),
  video: orNull(videoFacts.extend({ keyframe_interval_seconds: orNoMeasure })),
  audio: list(audioFacts.extend({ peak_dbfs: orNoMeasure, rms_dbfs: orNoMeasure }), 64),
  captions: list(word, 64),
  seconds: measure,
  isVariableRate: z.boolean(),
  picture: orNull(z.string().max(MAX_PICTURE_CHARS)),
});

/** A machine that joins, as it names itself. */
export const machineAnswer = z.object({
  machineId: z.string().regex(/^[\w-]{1,100}$/u),
  name: text(100).refine((name) => name.trim() !== '', 'must not be empty'),
});

export const placedAnswer = z.object({ path: z.string().min(1).max(4096) });

/** Texts of a refusal; what is none of them is left out. */
export const refusalAnswer = z
  .object({
    code: word.optional().catch(undefined),
    detail: sentence.optional().catch(undefined),
    upstream: sentence.optional().catch(undefined),
    remedy: sentence.optional().catch(undefined),
    owner: count.optional().catch(undefined),
  })
  .catch({});
