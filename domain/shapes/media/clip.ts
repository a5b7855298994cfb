/** Clips: the order for one, and the Asset that it becomes. */
import { z } from 'zod/v3';
import { assetOutput } from './asset.ts';
import { AppError, invalidInput } from '../../base/errors.ts';
import type { Recording } from './recording.ts';
import { reference } from '../../base/schema.ts';
import { called } from '../../base/sentence.ts';

const CLIP_MODES = ['accurate', 'keyframe'] as const;
const position = z.number().min(0).max(31_536_000);

export const clipFields = {
  in: position.describe('Where it begins: seconds from the beginning of the Recording, with fractions.'),
  out: position.describe('Where it ends, the same way; the picture at this instant is not in it.'),
  mode: z
    .enum(CLIP_MODES)
    .default('accurate')
    .describe('accurate: by the picture, coded anew. keyframe: from the keyframe at or before in, copied at once.'),
  trackId: z
    .number()
    .int()
    .positive()
    .optional()
    .describe('Track of getRecordingTracks, with the first sound; left out: the largest picture.'),
};

/** Follows the rule of every Asset's file name, with one ending: two patterns for one text make no good JSON Schema. */
export const clipNameField = z
  .string()
  .min(5)
  .max(255)
  .regex(
    /^(?![.\s])[^/\\\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+\.[mM][pP]4$/u,
    'must be a plain file name that ends in .mp4: no path separators, no leading dot, no control characters',
  )
  .describe('Name of the Asset, ends in .mp4; left out: Live stream, time and length.');

export const clipOutput = assetOutput
  .extend({
    recordingId: reference('Recording'),
    in: z.number().describe('Where it begins in the Recording, seconds; with keyframe where the keyframe is.'),
    out: z.number().describe('Where it ends there, seconds.'),
  })
  .strict();

/** Throws AppError invalid_input. */
export function assertOrder({ in: begin, out }: { in: number; out: number }): void {
  if (out > begin) return;
  throw invalidInput([
    { field: 'out', code: 'too_small', message: `must be more than in, which is ${begin}`, min: begin },
  ]);
}

/** Throws AppError wrong_state for a Recording that has failed. */
export function assertReadable(recording: Readonly<Recording>): void {
  const { status, errorstatus } = recording;
  if (status !== 'failed') return;
  throw new AppError(
    'wrong_state',
    `${called('Recording', recording)} has failed: ${errorstatus ?? 'there is no media'}`,
    {
      facts: { state: status, allowed: ['recording', 'finished'] },
    },
  );
}

/** Built from the Live stream's name, the UTC time of the clip's beginning and its length: `News 20260101T201503Z 12.5s.mp4`. */
export function clipName(recording: Readonly<Recording>, order: { in: number; out: number }): string {
  const plain = recording.livestream_name.replaceAll(/[^\p{L}\p{N} _()-]/gu, '_').trim();
  const begin = new Date(Date.parse(recording.started_at) + order.in * 1000).toISOString();
  const seconds = Number((order.out - order.in).toFixed(3));
  return `${plain || 'clip'} ${begin.slice(0, 19).replaceAll(/[-:]/gu, '')}Z ${seconds}s.mp4`;
}
