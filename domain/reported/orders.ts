/**
 * The outline of what a server orders of a Device: the fields that the agent reads by itself. What the runner alone reads fails in the runner,
 * and costs one broadcast; fields that are not known here stay for it.
 */
import { z } from 'zod/v3';
import type { SentRange } from '../ports/device-link.ts';
import type { IngestOrder } from '../shapes/sources/ingest-order.ts';
import type { RunChange } from '../shapes/changes/run-change.ts';
import type { RunSpec, SourceSpec } from '../shapes/broadcasts/run-spec.ts';
import { SETTING_KINDS } from '../shapes/changes/change-questions.ts';
import type { SettingKind } from '../shapes/changes/changes.ts';
import { RUN_ID } from './fields.ts';
import { isPushed } from '../types/channel-questions.ts';

const id = z.number().int().safe();
const runId = z.string().regex(RUN_ID);
const file = z.object({ filename: z.string(), path: z.string() }).passthrough().nullable();
const source = z
  .object({
    channelId: id,
    type: z.string(),
    settings: z.object({}).passthrough(),
    path: z.string().nullable(),
  })
  .passthrough();
const fallback = z.object({ path: z.string().nullable() }).passthrough();
const text = z.object({ text: z.string() }).passthrough().nullable();
const blackout = z.object({ mode: z.string(), file }).passthrough();
const picture = z.object({ logo: file, text, blackout }).passthrough();
const output = z
  .object({
    publishingId: id,
    name: z.string(),
    type: z.string(),
    settings: z.object({}).passthrough(),
    primary: z.boolean(),
    backup: z.boolean().nullable(),
  })
  .passthrough();

/** The bytes of a file of a Recording, and where they go. */
const sentRange = z
  .object({
    from: z.number().int().nonnegative(),
    to: z.number().int().positive(),
    url: z
      .string()
      .url()
      .regex(/^https?:/u),
    bytesPerSecond: z.number().positive().optional(),
  })
  .refine(({ from, to }) => from < to);

const spec = z
  .object({
    runId,
    livestreamId: id,
    source,
    fallback,
    picture,
    renditions: z.array(z.object({ encodingId: id }).passthrough()),
    outputs: z.array(output),
  })
  .passthrough();

/** A Device reads these fields of each type of change; a setting of the run is for the runner alone. */
const CHANGES: Record<Exclude<RunChange['type'], SettingKind>, z.ZodRawShape> = {
  picture: { picture: picture.partial() },
  source: { source },
  paths: { paths: z.array(z.object({ publishingId: id })) },
  output: { output },
  outputs: { add: z.array(output), remove: z.array(id) },
  cue: { cue: z.object({}) },
  keys: { publishingId: id, period: z.object({ index: z.number().int().nonnegative() }) },
  gate: { gate: z.object({ primary: z.boolean(), backup: z.boolean(), epoch: z.number().int().nonnegative() }) },
  options: { options: z.object({ fallback: fallback.optional() }) },
};
const SETTINGS = Object.fromEntries(SETTING_KINDS.map((kind) => [kind, { [kind]: z.object({}) }]));
const changes = new Map(Object.entries({ ...CHANGES, ...SETTINGS }).map(([type, shape]) => [type, z.object(shape)]));

const port = z.number().int().min(1).max(65_535);
const orders = z.array(
  z.object({
    channelId: id,
    name: z.string(),
    type: z.string(),
    settings: z
      .object({
        port: port.optional(),
        host: z.string().optional(),
        app: z.string().optional(),
        mode: z.string().optional(),
      })
      .passthrough(),
  }),
);

export function isSpec(value: unknown): value is RunSpec {
  return spec.safeParse(value).success;
}

export function isSentRange(value: unknown): value is Omit<SentRange, 'name'> {
  return sentRange.safeParse(value).success;
}

export function isSource(value: unknown): value is SourceSpec {
  return source.safeParse(value).success;
}

/** A kind of change that a newer server has is none either: it is refused, and nothing changes. */
export function isChange(value: unknown): value is RunChange {
  const { type } = (value ?? {}) as { type?: unknown };
  return typeof type === 'string' && changes.get(type)?.safeParse(value).success === true;
}

/** Listeners of a type that a newer server has are left out; undefined for what are no orders. */
export function ordersIn(value: unknown): IngestOrder[] | undefined {
  const parsed = orders.safeParse(value);
  if (!parsed.success) return undefined;
  // A protocol without names of applications is told apart by its port.
  const known = parsed.data.filter(
    ({ type, settings }) => isPushed({ type, settings }) && (settings.app != null || settings.port != null),
  );
  return known as unknown as IngestOrder[];
}
