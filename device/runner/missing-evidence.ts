/** Why a start has not become a broadcast in time, in words for the one who started it. */
import type { RunSpec } from '../../domain/run.ts';
import { ended } from '../../domain/sentence.ts';
import type { Output } from './outputs/outputs.ts';
import type { Source } from './playout/source.ts';
import type { EncodedStream } from './stream/encoded-stream.ts';

/** `source` is set while the start waits for its first media. */
export function missingEvidence(
  { startTimeoutSeconds: seconds, source: { name } }: RunSpec,
  source: Pick<Source, 'trouble'> | undefined,
  stream: Pick<EncodedStream, 'hasStarted'>,
  outputs: readonly Output[],
): string {
  if (source !== undefined) {
    const why = source.trouble?.publicMessage;
    const words = why === undefined ? '; it accepts the connection or waits, but says nothing.' : `: ${ended(why)}`;
    return `Channel "${name}" has given no media within ${seconds} s${words}`;
  }
  if (!stream.hasStarted) return `The encoder has given nothing within ${seconds} s.`;
  return `No Destination has taken the stream within ${seconds} s. ${obstaclesOf(outputs)}`;
}

export function obstaclesOf(outputs: readonly Output[]): string {
  return outputs
    .map(({ spec, primary }) => `"${spec.name}": ${primary.status.last_error ?? primary.status.state}`)
    .join('; ');
}
