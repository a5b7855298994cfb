/** The shape of presets: ladders to make Encodings of, and templates of Destinations with what their platform demands. */
import { z } from 'zod/v3';
import { AUDIO_CODECS, encodingCreate, VIDEO_CODECS } from './encoding.ts';
import { LADDER_IDS, TEMPLATE_IDS } from './preset-ids.ts';
import { PUBLISHING_TYPES } from '../../types/destination-types.ts';

export const PRESET_KINDS = ['ladder', 'template'] as const;

const demands = z
  .object({
    keyframe_seconds: z.number().nullable().describe('Longest distance of keyframes; null: none is known.'),
    video_codecs: z.array(z.enum(VIDEO_CODECS)).nullable().describe('What it takes; null: any that the type carries.'),
    audio_codecs: z.array(z.enum(AUDIO_CODECS)).nullable().describe('What it takes; null: any that the type carries.'),
    sample_rates: z.array(z.number().int()).nullable().describe('Of the sound, in Hz; null: any.'),
    sound: z.boolean().describe('true: a stream without sound is refused.'),
    tls: z.boolean().describe('true: only rtmps.'),
    stream_key: z.boolean().describe('true: the platform gives a stream key.'),
  })
  .strict();

const limits = z
  .object({
    video_kbps: z.number().int().nullable().describe('kbit/s; null: none is known, as in all of these.'),
    audio_kbps: z.number().int().nullable().describe('kbit/s.'),
    width: z.number().int().nullable().describe('Pixels of the longer side.'),
    height: z.number().int().nullable().describe('Pixels of the shorter side.'),
    fps: z.number().nullable().describe('Pictures a second.'),
    hours: z.number().nullable().describe('Longest broadcast.'),
  })
  .strict();

const name = z.string().describe('For people.');

export const templateShape = z
  .object({
    id: z.enum(TEMPLATE_IDS),
    kind: z.literal('template'),
    name,
    type: z.enum(PUBLISHING_TYPES).describe('Type of the Publishing.'),
    url: z.string().nullable().describe('Address for everybody; null: one gets it with the key, or has it oneself.'),
    demands: demands.describe('What the other end asks for.'),
    limits: limits.describe('What the other end takes at most.'),
    as_of: z.string().date().describe('Day of the guidance.'),
    source: z.string().url().describe('Page of the guidance; behind it, what could not be read there.'),
  })
  .strict();
export type Template = z.infer<typeof templateShape>;

const presetEncoding = z.object(encodingCreate).strict();
export const ladderShape = z
  .object({
    id: z.enum(LADDER_IDS),
    kind: z.literal('ladder'),
    name,
    encodings: z.array(presetEncoding).describe('As addEncoding takes them, the best first.'),
  })
  .strict();
export type Ladder = z.infer<typeof ladderShape>;
/** A ladder as it is written down: what is left out is that of an Encoding. */
export type WrittenLadder = z.input<typeof ladderShape>;

/** A row of the list; a ladder has no fields of a template, and a template none of a ladder. */
export const presetOutput = z
  .object({
    id: z.string().describe('Id, for quality of setUpBroadcast, or template of a Publishing.'),
    kind: z.enum(PRESET_KINDS).describe('ladder: Encodings; template: a Destination.'),
    name,
    encodings: ladderShape.shape.encodings.optional(),
    ...templateShape.omit({ id: true, kind: true, name: true }).partial().shape,
  })
  .strict()
  .describe('Preset: a ladder, or a template of a Destination.');
export type Preset = Template | Ladder;

export const templateField = z
  .enum(TEMPLATE_IDS)
  .nullable()
  .default(null)
  .describe('Platform, of listPresets; a start warns of its demands.');
