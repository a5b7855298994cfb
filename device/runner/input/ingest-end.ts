/** Reads from the stderr of an ingest's ffmpeg why it ended, and what to try next. */
import { refusalByRules } from '../../ffmpeg/input-rules.ts';
import type { Shape } from '../../media/arguments/ingest-args.ts';
import { relayAnswer } from '../../media/ffmpeg-output/relay-answer.ts';
import { SourceTrouble, troubleOf } from '../../media/ffmpeg-output/source-reason.ts';
import type { Child } from '../process/child.ts';
import { proxyAnswer } from './web-proxy.ts';

/** Returns a sentence when the address led to what may not be opened or reached. */
export function refusalOfChild({ recentStderr }: Child): string | undefined {
  const answer = proxyAnswer(recentStderr);
  const relayed = relayAnswer(recentStderr);
  const byNetworks =
    answer?.isRefused === true ? answer.words : relayed?.isByRules === true ? relayed.words : undefined;
  return refusalByRules(recentStderr) ?? (byNetworks === undefined ? undefined : `${byNetworks}.`);
}

/** ffmpeg only repeats a status of the proxy when that could not reach the server, so the proxy is asked first. */
export function troubleOfChild({ recentStderr, lastStderr }: Child): SourceTrouble {
  const answer = proxyAnswer(recentStderr)?.words;
  return troubleOf(answer ?? recentStderr, answer ?? lastStderr);
}

/** The reason that it gave, or else how it ended. */
export function endOfChild(child: Child, code: number | null): SourceTrouble {
  return child.lastStderr === undefined ? new SourceTrouble(`it ended (exit code ${code})`) : troubleOfChild(child);
}

/**
 * ffmpeg ends when a stream that its arguments name is not in the source, and says so in one of two sentences. A probe before every start
 * would cost each source a second connection and 100-300 ms; this costs only those that lack a stream.
 */
export function otherShape(stderr: string, shape: Shape): Shape | undefined {
  if (shape !== 'both') return undefined;
  const selector = /Stream map '([^']*)' matches no streams/u.exec(stderr)?.[1];
  const output = /Output file #(\d) does not contain any stream/u.exec(stderr)?.[1];
  if (selector !== undefined) return /a(?::|$)/u.test(selector) ? 'video' : 'audio';
  if (output !== undefined) return output === '0' ? 'audio' : 'video';
  return undefined;
}
