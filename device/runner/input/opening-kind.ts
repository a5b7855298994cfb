/**
 * The ingest of a run that is not planned yet: its ffmpeg is the one that goes on, and waits for its filters after it has said what the
 * source is.
 */
import type { SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { captionOutput } from '../../media/captions/cc-reader.ts';
import { rawIngestArgs, readAhead, videoMap } from '../../media/arguments/ingest-args.ts';
import type { SourceFacts } from '../../media/ffmpeg-output/source-facts.ts';
import { DEFAULT_RATE } from '../../media/ladder/usual-rate.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import { CAPTION_FD, rawShape, type IngestKind } from './ingest-kinds.ts';
import { readFacts } from './source-filters.ts';

export interface Found {
  facts: SourceFacts;
  /** The lines from which the facts were read; undefined for an ffmpeg that cannot wait, whose connection does not go on. */
  lines: readonly string[] | undefined;
}

/** `plan` is of what is known before: which streams are taken. */
export function openingKind(
  source: SourceSpec,
  plan: Pick<LadderPlan, 'hasVideo' | 'audios' | 'tracks'>,
  isAhead: boolean,
  onFound: (found: Found) => void,
): IngestKind {
  let canWait = true;
  return {
    ...rawShape(plan),
    framesPerSecond: DEFAULT_RATE,
    args(input, shape) {
      const own = isAhead && plan.hasVideo && shape !== 'audio' ? readAhead(input) : input;
      const outputs = rawIngestArgs(source, own, plan, shape);
      // Without an output ffmpeg says what it has found, and ends.
      if (!canWait) return outputs.slice(0, outputs.indexOf('-i') + 2);
      return [...outputs, ...(shape === 'audio' ? [] : captionOutput(videoMap(source), CAPTION_FD))];
    },
    adapts(stderr) {
      const isNew = canWait && /Unrecognized option 'filter_script/u.test(stderr);
      if (isNew) canWait = false;
      return isNew;
    },
    connect(child, _shape, { accepts }) {
      const lines: string[] = [];
      child.onLine = (line) => lines.push(line);
      readFacts(child, (facts) => {
        if (!accepts(facts)) child.kill('SIGKILL');
        else onFound({ facts, lines: canWait ? lines : undefined });
      });
      child.output(1)?.resume();
    },
  };
}
