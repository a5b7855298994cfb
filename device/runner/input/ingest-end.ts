/** The reader of a source as its ingest has it, and why it ended: an ffmpeg says so on its stderr. */
import { refusalByRules } from '../../ffmpeg/input-rules.ts';
import type { Shape } from '../../media/arguments/ingest-args.ts';
import { relayAnswer } from '../../media/ffmpeg-output/relay-answer.ts';
import { SourceTrouble, troubleOf } from '../../media/ffmpeg-output/source-reason.ts';
import { OwnReading } from '../copies/own-reading.ts';
import type { Child } from '../process/child.ts';
import { proxyAnswer } from './web-proxy.ts';

/** An ffmpeg, or a reader of this process. */
export type SourceReader = Child | OwnReading;

/** Tells while nobody waits for what it reads; an ffmpeg has to get all at once, which it may have to decode. */
export function mayWaitOf(reader: SourceReader): (() => boolean) | undefined {
  return reader instanceof OwnReading ? reader.mayWait : undefined;
}

/** Returns a sentence when the address led to what may not be opened or reached. */
export function refusalOfChild({ recentStderr }: SourceReader): string | undefined {
  const answer = proxyAnswer(recentStderr);
  const relayed = relayAnswer(recentStderr);
  const byNetworks =
    answer?.isRefused === true ? answer.words : relayed?.isByRules === true ? relayed.words : undefined;
  return refusalByRules(recentStderr) ?? (byNetworks === undefined ? undefined : `${byNetworks}.`);
}

/** ffmpeg only repeats a status of the proxy when that could not reach the server, so the proxy is asked first. */
export function troubleOfChild({ recentStderr, lastStderr }: SourceReader): SourceTrouble {
  const answer = proxyAnswer(recentStderr)?.words;
  return troubleOf(answer ?? recentStderr, answer ?? lastStderr);
}

/** The reason that it gave, or else how it ended. */
export function endOfChild(child: SourceReader, how: string): SourceTrouble {
  if (child instanceof OwnReading) return child.trouble;
  return child.lastStderr === undefined ? new SourceTrouble(`it ended (${how})`) : troubleOfChild(child);
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
