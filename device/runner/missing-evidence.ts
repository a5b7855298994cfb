/** Why a start has not become a broadcast in time, in words for the one who started it. */
import type { RunSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import { ended } from '../../domain/base/sentence.ts';
import type { SourceTrouble } from '../media/ffmpeg-output/source-reason.ts';
import type { Output } from './outputs/outputs.ts';
import type { Source } from './playout/source.ts';
import type { EncodedStream } from './stream/encoded-stream.ts';

/** `source` is set while the start waits for its first media. */
export function missingEvidence(
  { startTimeoutSeconds: seconds, source: { name } }: RunSpec,
  source: Pick<Source, 'allFeeds'> | undefined,
  stream: Pick<EncodedStream, 'hasStarted'>,
  outputs: readonly Output[],
): string {
  if (source !== undefined) {
    const [first, backup] = source.allFeeds;
    const either =
      backup === undefined ? '' : ` Nor has its backup, Channel "${backup.source.name}"${why(backup.trouble)}`;
    return `Channel "${name}" has given no media within ${seconds} s${why(first?.trouble)}${either}`;
  }
  if (!stream.hasStarted) return `The encoder has given nothing within ${seconds} s.`;
  return `No Destination has taken the stream within ${seconds} s. ${obstaclesOf(outputs)}`;
}

function why(trouble: SourceTrouble | undefined): string {
  const reason = trouble?.publicMessage;
  return reason === undefined ? '; it accepts the connection or waits, but says nothing.' : `: ${ended(reason)}`;
}

export function obstaclesOf(outputs: readonly Output[]): string {
  return outputs
    .map(({ spec, primary }) => `"${spec.name}": ${primary.status.last_error ?? primary.status.state}`)
    .join('; ');
}
