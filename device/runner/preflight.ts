/** Checks before any process starts what this runner cannot do. The admission check of the control plane asks the same of stored rows. */
import { refusalOfRenditions } from '../../domain/rules/encodings/rendition-rules.ts';
import type { RunSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import { refusalOfSource, refusalOfType } from './input/source-rules.ts';

/** Returns one sentence that names what is missing, or undefined. */
export function refusalOfRun(spec: RunSpec): string | undefined {
  return (
    refusalOfSource(spec.source) ??
    (spec.backup && refusalOfType(spec.backup)) ??
    refusalOfRenditions(spec.renditions, spec.audio?.length) ??
    refusalOfOutputs(spec)
  );
}

function refusalOfOutputs({ outputs }: RunSpec): string | undefined {
  return outputs.some(({ primary, backup }) => primary || backup === true)
    ? undefined
    : 'No Destination path is switched on.';
}
