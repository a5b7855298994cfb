/** Clips: the order for one, and the Asset that it becomes. */
import { z } from 'zod/v3';
import { assetOutput } from './asset.ts';
import { AppError, invalidInput } from '../../base/errors.ts';
import type { Recording } from './recording.ts';
import { reference } from '../../base/schema.ts';
import { called } from '../../base/sentence.ts';

const CLIP_MODES = ['accurate', 'keyframe'] as const;
const MAX_SEGMENTS = 20;
const position = z.number().min(0).max(31_536_000);

const segmentShape = z
  .object({
    in: position.describe('Where the piece begins, seconds from the beginning of the Recording.'),
    out: position.describe('Where the piece ends, the same way; the picture at this instant is not in it.'),
  })
  .strict();
export type ClipSpan = z.infer<typeof segmentShape>;

/** A piece of the Recording that goes into a clip. */
export interface ClipSegment extends ClipSpan {
  /** The path in front of its `in` and `out` in the order: `segments.2.`, or nothing. */
  readonly at: string;
}

export const clipFields = {
  in: position
    .optional()
    .describe('Where it begins: seconds from the beginning of the Recording, with fractions. With out, or segments.'),
  out: position.optional().describe('Where it ends, the same way; the picture at this instant is not in it.'),
  segments: z
    .array(segmentShape)
    .min(1)
    .max(MAX_SEGMENTS)
    .optional()
    .describe('Several pieces in place of in and out, in the order in which the clip shows them; they may overlap.'),
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
    in: z.number().describe('First second of the Recording that is in it; with keyframe where the keyframe is.'),
    out: z.number().describe('Last second of the Recording that is in it.'),
    segments: z
      .array(
        z.object({ in: z.number().describe('First second.'), out: z.number().describe('Second behind it.') }).strict(),
      )
      .describe('The pieces in the order in which the clip shows them; one for in and out.'),
  })
  .strict();

export interface RequestedCut {
  in?: number | undefined;
  out?: number | undefined;
  segments?: readonly ClipSpan[] | undefined;
}

/** Answers the pieces of either form. Throws AppError invalid_input for both, neither, or a piece that ends before it begins. */
export function segmentsOf({ in: begin, out, segments }: RequestedCut): ClipSegment[] {
  if (segments !== undefined && (begin !== undefined || out !== undefined))
    throw invalidInput([
      {
        field: 'segments',
        code: 'one_of',
        message: 'stands beside in or out; send one piece as in and out, or segments',
      },
    ]);
  const missing = begin === undefined ? 'in' : out === undefined ? 'out' : undefined;
  if (segments === undefined && missing !== undefined)
    throw invalidInput([{ field: missing, code: 'required', message: 'is missing; send in and out, or segments' }]);
  const pieces =
    segments === undefined
      ? [{ in: begin!, out: out!, at: '' }]
      : segments.map((segment, i) => ({ ...segment, at: `segments.${i}.` }));
  const issues = pieces
    .filter((piece) => piece.out <= piece.in)
    .map(({ at, in: min }) => {
      return { field: `${at}out`, code: 'too_small', message: `must be more than in, which is ${min}`, min };
    });
  if (issues.length > 0) throw invalidInput(issues);
  return pieces;
}

/** The part of the Recording that all pieces lie in. */
export function extentOf(spans: readonly ClipSpan[]): ClipSpan {
  return { in: Math.min(...spans.map((span) => span.in)), out: Math.max(...spans.map(({ out }) => out)) };
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

/** Built from the Live stream's name, the UTC time of the clip's first picture and its length: `News 20260101T201503Z 12.5s.mp4`. */
export function clipName(recording: Readonly<Recording>, spans: readonly ClipSpan[]): string {
  const plain = recording.livestream_name.replaceAll(/[^\p{L}\p{N} _()-]/gu, '_').trim();
  const begin = new Date(Date.parse(recording.started_at) + spans[0]!.in * 1000).toISOString();
  const seconds = Number(spans.reduce((sum, span) => sum + span.out - span.in, 0).toFixed(3));
  return `${plain || 'clip'} ${begin.slice(0, 19).replaceAll(/[-:]/gu, '')}Z ${seconds}s.mp4`;
}
