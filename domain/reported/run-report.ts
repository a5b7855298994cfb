/** A runner's report of itself, as a Device sends it. */
import { z } from 'zod/v3';
import type {
  Condition,
  EncodingStatus,
  PathStatus,
  PublishingStatus,
  RuntimeStatus,
  SourceStatus,
  TrackLevels,
} from '../livestream-status.ts';
import { CONDITION_KINDS, PATH_STATES, SOURCE_STATES } from '../livestream-status.ts';
import { playbackPath } from '../playback.ts';
import type { RunReport } from '../run.ts';
import {
  count,
  id,
  instant,
  knownOf,
  list,
  measure,
  orNoMeasure,
  orNull,
  rowId,
  runId,
  sentence,
  shapeOf,
  text,
  title,
  word,
} from './fields.ts';

/** A group has 20 Destinations, and a ladder as many Encodings as its machine bears. */
const MAX_OUTPUTS = 100;
const MAX_TRACKS = 64;
const WATCHED = /^\/live\/\d{1,16}\/\d{1,16}\/[\w-][\w.-]{0,99}$/u;

const path = shapeOf<PathStatus>()({
  enabled: z.boolean(),
  state: z.enum(PATH_STATES).catch('idle'),
  since: instant,
  // Runners of earlier versions do not say these two.
  down_since: orNull(instant).catch(null),
  attempts: count,
  next_retry_at: orNull(instant).catch(null),
  last_error: orNull(sentence),
  refused: z.boolean().default(false).catch(false),
});

const channelLevels = list(measure, MAX_TRACKS);
const trackLevels: z.ZodType<TrackLevels, z.ZodTypeDef, unknown> = shapeOf<TrackLevels>()({
  track: count,
  peak_dbfs: channelLevels,
  rms_dbfs: channelLevels,
  momentary_lufs: orNoMeasure,
  short_term_lufs: orNoMeasure,
  integrated_lufs: orNoMeasure,
});

const source = shapeOf<SourceStatus>()({
  channelId: id,
  state: z.enum(SOURCE_STATES).catch('idle'),
  fps: measure,
  bitrate_kbps: measure,
  last_frame_at: orNull(instant).catch(null),
  levels: list(trackLevels, MAX_TRACKS).optional(),
});

const condition = shapeOf<Condition>()({
  kind: z.enum(CONDITION_KINDS),
  since: instant,
  fps: measure.optional(),
  wanted_fps: measure.optional(),
  remedy: sentence.optional(),
});

const encoding = shapeOf<EncodingStatus>()({
  encodingId: id,
  fps: measure,
  bitrate_kbps: measure,
  speed: measure,
  dropped: count,
});

const publishing = shapeOf<PublishingStatus>()({
  publishingId: id,
  name: title,
  type: word,
  primary: path,
  backup: orNull(path),
  // Runners of earlier versions have none.
  notes: list(sentence, 50).default([]),
});

const runtime = shapeOf<RuntimeStatus>()({
  logo: orNull(z.object({ filename: title, position: word })),
  blackout: word,
  text: orNull(text(2000)),
  source: orNull(id),
});

const report = shapeOf<RunReport>()({
  runId,
  livestreamId: rowId,
  phase: z.enum(['starting', 'running', 'failed', 'stopped']),
  error: orNull(sentence),
  on_air_at: orNull(instant).catch(null),
  source,
  conditions: knownOf(condition, 20).optional(),
  source_watched: z.boolean().optional().catch(undefined),
  encodings: list(encoding, MAX_OUTPUTS),
  publishings: list(publishing, MAX_OUTPUTS),
  runtime,
  cpu_cores: z.number().finite().nonnegative().max(10_000).optional().catch(undefined),
  cores_taken: z.number().finite().nonnegative().max(10_000).optional().catch(undefined),
  disk: z.object({ free_bytes: measure, size_bytes: measure }).optional().catch(undefined),
  peaks: z.tuple([measure, measure]).optional().catch(undefined),
  flags: count.optional().catch(undefined),
  recordings: list(
    z.object({ publishingId: id, seconds: measure, bytes: count, files: count }),
    MAX_OUTPUTS,
  ).optional(),
  take: path.optional(),
  watch: knownOf(
    z.object({ publishingId: id, path: z.string().regex(WATCHED), access: z.literal('token').optional() }),
    MAX_OUTPUTS,
  ),
});

/** From any place: the cloud platform watches under ids of its own. */
export const anyReport = report as unknown as z.ZodType<RunReport, z.ZodTypeDef, unknown>;

/** A Device serves a run under the run's own path, and viewers are sent nowhere else. */
export const runReport = anyReport.transform(({ watch, ...rest }): RunReport => {
  const isOwn = ({ publishingId, path: at }: (typeof watch)[number]): boolean =>
    at.startsWith(playbackPath(rest.livestreamId, publishingId));
  return { ...rest, watch: watch.filter(isOwn) };
});
