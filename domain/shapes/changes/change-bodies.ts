/** Bodies of the operations that change a Live stream on air, and the parts of them that reach the runner. */
import { z } from 'zod/v3';
import { logoField, overlayField, positionField } from '../broadcasts/livestream.ts';
import { idField, reference } from '../../base/schema.ts';

const seconds = (max: number): z.ZodNumber => z.number().min(0).max(max);
const MAX_BREAK_SECONDS = 86_400;

export const logoChange = {
  logo: logoField
    .extend({ position: positionField.optional().describe('Left out: where it was, else Top-Right.') })
    .describe('Empty filename: no logo; its position is kept for the next one.'),
};

const BLACKOUT_MODES = ['Live', 'Black Frame', 'File'] as const;
export type BlackoutMode = (typeof BLACKOUT_MODES)[number];
export const blackoutChange = {
  mode: z.enum(BLACKOUT_MODES).describe('Live ends the blackout.'),
  filename: z.string().min(1).max(255).optional().describe('mode File: Asset in the bucket files, played in a loop.'),
  keepAudio: z.boolean().default(false).describe('The programme stays audible.'),
};

export const pathsChange = {
  publishings: z
    .array(
      z
        .object({
          publishingId: reference('Publishing'),
          primary: z.boolean().optional().describe('true on a path in trouble: try again now.'),
          backup: z.boolean().optional().describe('Without effect on a type with a single path.'),
        })
        .strict(),
    )
    .min(1)
    .max(20)
    .describe('Each Publishing once.'),
};

export const sourceChange = { channelId: reference('Channel').describe('Id of the Channel to switch to.') };

const METADATA_TYPES = ['ID3Tag', 'CueOut', 'CueIn', 'DateRange', 'ScteOut', 'ScteIn'] as const;
export type MetadataType = (typeof METADATA_TYPES)[number];
const MAX_ATTRIBUTES = 50;
const metadataField = z
  .object({
    name: z.string().max(255).optional().describe('ID3Tag: description of the tag; DateRange: its class.'),
    value: z.string().max(4000).optional().describe('ID3Tag: the text. Scte: a splice_info_section, base64 or hex.'),
    duration: seconds(MAX_BREAK_SECONDS).optional().describe('Seconds of the break or range.'),
    id: z
      .union([z.string().min(1).max(100), idField.max(0xffff_ffff)])
      .optional()
      .describe('Of the event; in and out of one break share it. Scte, Cue: a number of 32 bits.'),
    attributes: z
      .record(z.union([z.string().max(1000), z.number()]))
      .refine((attributes) => Object.keys(attributes).length <= MAX_ATTRIBUTES, `takes at most ${MAX_ATTRIBUTES}`)
      .optional()
      .describe(`DateRange: further X- attributes, at most ${MAX_ATTRIBUTES}.`),
  })
  .strict();
export const metadataChange = {
  type: z.enum(METADATA_TYPES).describe('What is inserted, at the present instant of the programme.'),
  metadata: metadataField.default({}).describe('Its content.'),
};
/** A cue or tag as it was requested; the runner times it. */
export interface CueSpec extends z.infer<typeof metadataField> {
  type: MetadataType;
  /**
   * Intended instant of the cue of a break, by the requester's clock, and how far ahead of it the request was; without it the cue is for
   * the present instant.
   */
  ahead?: { atMs: number; inMs: number };
}

export const adValuesChange = {
  default_ad_duration: seconds(MAX_BREAK_SECONDS).nullable().optional().describe('Of a CueOut without a duration.'),
  max_ad_duration: seconds(MAX_BREAK_SECONDS).nullable().optional().describe('No break gets longer.'),
  next_ad_duration: seconds(MAX_BREAK_SECONDS).nullable().optional().describe('Of the next CueOut alone.'),
};
/** Seconds; null when not set. */
export interface AdValues {
  default_ad_duration: number | null;
  max_ad_duration: number | null;
  next_ad_duration: number | null;
}

export const textChange = {
  action: z.enum(['show', 'hide']).describe('hide takes the text away and keeps the rest.'),
  text: overlayField.shape.text.optional().describe('%d %m %Y %H %M %S = time, %C = chronometer.'),
  position: positionField.optional().describe('Left out: as before, else Bottom.'),
  size: overlayField.shape.size
    .removeDefault()
    .optional()
    .describe('Pixels at 1080 lines; left out: as before, else 36.'),
  color: overlayField.shape.color.removeDefault().optional().describe('#rrggbb; left out: as before, else white.'),
};

export const recordChange = {
  action: z.enum(['start', 'stop']).describe('start begins a Recording of its own; stop ends it.'),
};
