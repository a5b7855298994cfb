/** The forms of the answers of a Device to calls. */
import { HARDWARE_KINDS } from '../shapes/encodings/hardware.ts';
import type { Capabilities, EncodingTrial } from '../shapes/devices/device.ts';
import { DEVICE_PROTOCOL, speaksWith } from '../shapes/devices/device-features.ts';
import type { DeviceHello } from '../ports/device-link.ts';
import type { IngestAddress } from '../shapes/sources/ingest.ts';
import type { SentPicture } from '../shapes/broadcasts/live-picture.ts';
import { CURVE_NAMES, MAX_POINTS, type CurveName, type Curves } from '../shapes/reports/curves.ts';
import { MAX_KEPT_PICTURES, type SentKeptPicture } from '../shapes/reports/kept-pictures.ts';
import type { DeviceProbe } from '../shapes/sources/probe.ts';
import { count, instant, measure, orNoMeasure, sentence, text, title, word } from './fields.ts';
import {
  boolean,
  knownOf,
  list,
  numberFrom,
  oneOf,
  optional,
  orElse,
  orNull,
  pair,
  shape,
  shapeOf,
  such,
  textOf,
  type Form,
} from './forms.ts';
import { audioFacts, heldRecording, storage, videoFacts } from './messages.ts';
import { runReport } from './run-report.ts';

const MAX_RUNS = 20_000;
const MAX_RECORDINGS = 200_000;
/** An order has the rows that a run is made of. */
const MAX_SEALED_CHARS = 4 << 20;
/** A picture of 1080p in base64 has 2 MB at most. */
const MAX_PICTURE_CHARS = 8 << 20;

const words = list(word, 500);
const aboveZero = such(numberFrom(0), (given) => given > 0, 'must be above 0');
const aFlag = orElse(optional(boolean), undefined);
const hardwareEncoder = shape({ kind: oneOf(HARDWARE_KINDS), codec: word, ten_bit: boolean });
const capabilities = shapeOf<Capabilities>()({
  ffmpeg_version: orNull(word),
  video_encoders: words,
  audio_encoders: words,
  hdr_encoders: optional(words),
  protocols: words,
  inputs: words,
  outputs: words,
  encryption: optional(words),
  features: orElse(optional(words), undefined),
  sandbox: orElse(optional(oneOf(['landlock', 'none'])), undefined),
  hardware_encoders: optional(knownOf(hardwareEncoder, 20)),
  missing: list(shape({ feature: title, needs: sentence }), 200),
});
const encodingTrial = shapeOf<EncodingTrial>()({
  cores: aboveZero,
  factor: aboveZero,
  tried_at: instant,
});

/** An address is shown, given to viewers and fetched from: it names a host and nothing secret. */
const mediaUrl = such(textOf(500), isWebAddress, 'must be an address of http or https');

function isWebAddress(given: string): boolean {
  if (!URL.canParse(given)) return false;
  const { protocol, username, password, search, hash } = new URL(given);
  return /^https?:$/u.test(protocol) && [username, password, search, hash].every((part) => part === '');
}

const host = such(textOf(255), (given) => /^[\w.:%[\]-]+$/u.test(given), 'is no host');
/** Encoders are told it: one that is no address is left out as by earlier versions, and loopback is named in its place. */
const ingestAddress = shapeOf<IngestAddress>()({
  host,
  publicHost: host,
  secureHost: orElse(optional(orNull(host)), undefined),
  url: orNull(such(textOf(500), (given) => URL.canParse(given) && new URL(given).hostname !== '', 'is no address')),
});

export const deviceHello = shapeOf<DeviceHello>()({
  capabilities,
  isProbing: aFlag,
  mediaUrl,
  cores: aboveZero,
  encodingTrial: orElse(optional(encodingTrial), undefined),
  isTrying: aFlag,
  protocol: such(
    orElse(optional(shape({ min: count, max: count })), undefined),
    (given) => given === undefined || speaksWith(given),
    `must reach ${DEVICE_PROTOCOL.min} to ${DEVICE_PROTOCOL.max}, which this server speaks`,
  ),
  runs: list(runReport, MAX_RUNS),
  // What is no mark of this store is taken for none where it is opened.
  mark: orElse(optional(textOf(MAX_SEALED_CHARS)), undefined),
  ingest: orElse(optional(ingestAddress), undefined),
  storage: orElse(optional(storage), undefined),
});

/** Sealed: what is not of this store is none when it is opened. */
export const orderAnswer = shape({ order: textOf(MAX_SEALED_CHARS) });

export const stopAnswer = orNull(shape({ known: optional(boolean) }));

export const recordingsAnswer = shape({ recordings: list(heldRecording, MAX_RECORDINGS) });

/** The names are judged with the Recording that was asked for. */
export const filesAnswer = shape({
  files: list(shape({ name: textOf(255), path: textOf(4096), bytes: count }), 10_000),
});

/** The tag of an object in a bucket. */
export const sentAnswer = shape({ tag: textOf(500) });

const picture = textOf(MAX_PICTURE_CHARS);
export const jpegAnswer = shape({ jpeg: picture });

export const pictureAnswer = shapeOf<SentPicture>()({
  jpeg: picture,
  taken_at: numberFrom(-Number.MAX_VALUE),
  width: count,
  peaks: orElse(optional(pair(measure)), undefined),
  flags: count,
});

/** 320 pixels wide, in base64. */
const keptPicture = shapeOf<SentKeptPicture>()({ at: count, of_event: boolean, jpeg: textOf(200_000) });
export const keptPicturesAnswer = shape({ pictures: list(keptPicture, MAX_KEPT_PICTURES) });

const curve = list(orNull(numberFrom(-Number.MAX_VALUE)), MAX_POINTS);
/** A Device of another version has more curves, which nobody here knows, or fewer. */
const curveValues = Object.fromEntries(
  CURVE_NAMES.map((name) => [name, orElse(curve, [] as (number | null)[])]),
) as Record<CurveName, Form<(number | null)[]>>;
export const curvesAnswer = shapeOf<Curves>()({
  fromSeconds: count,
  stepSeconds: aboveZero,
  values: shape(curveValues),
});

export const probeAnswer = shapeOf<DeviceProbe>()({
  took_ms: count,
  bitrate_kbps: numberFrom(0),
  video: orNull(shape({ ...videoFacts.fields, keyframe_interval_seconds: orNoMeasure })),
  audio: list(shape({ ...audioFacts.fields, peak_dbfs: orNoMeasure, rms_dbfs: orNoMeasure }), 64),
  captions: list(word, 64),
  seconds: measure,
  isVariableRate: boolean,
  picture: orNull(picture),
});

/** A machine that joins, as it names itself. */
export const machineAnswer = shape({
  machineId: such(textOf(100), (given) => /^[\w-]+$/u.test(given), 'is no id of a machine'),
  name: such(text(100), (name) => name.trim() !== '', 'must not be empty'),
});

export const placedAnswer = shape({ path: such(textOf(4096), (given) => given !== '', 'must not be empty') });

interface Refusal {
  code?: string | undefined;
  detail?: string | undefined;
  upstream?: string | undefined;
  remedy?: string | undefined;
  owner?: number | undefined;
}

const aWord = orElse(optional(word), undefined);
const aSentence = orElse(optional(sentence), undefined);
/** Texts of a refusal; what is none of them is left out. */
export const refusalAnswer: Form<Refusal> = orElse(
  shapeOf<Refusal>()({
    code: aWord,
    detail: aSentence,
    upstream: aSentence,
    remedy: aSentence,
    owner: orElse(optional(count), undefined),
  }),
  {},
);
