/** What ffmpeg says of a source that it could not read, in words of ours. */
import { isRtmpRefusal } from './rtmp-args.ts';

export interface SourceReason {
  /** Half a sentence, which goes on after the name of the source. */
  why: string;
  /** The other end has refused, and will do so again: another attempt changes nothing. */
  isRefusal: boolean;
}

/** libsrt writes to stderr by itself, without ffmpeg's level; ffmpeg then calls every refusal an input/output error. */
export const SRT_REFUSAL = /REJECT(?:\): \d+ -| reported from HS processing:) (.+?)(?: - not processing further)?$/mu;

/** What its server answers to who may not, or asks for what is not there. */
const REFUSING_STATUS = /(?:Server returned|HTTP error) (40[134])\b(?: ([A-Z][A-Za-z ]*))?/u;
/** What an RTMP server says to who asks for a stream. */
const RTMP_ERROR = /Server error: (.+)$/mu;
const STATUS = /(?:Server returned|HTTP error) ([45](?:\d\d|XX))\b/u;

const PATTERNS: [pattern: RegExp, why: string][] = [
  [/Failed to resolve hostname/u, 'its host is not known in the name service'],
  [/srt:\/\/\S+ failed: Input\/output error/u, 'its SRT peer does not answer'],
  [/Connection refused/u, 'its address refuses the connection (Connection refused); nothing listens there'],
  [/timed out|Timeout/iu, 'its address does not answer in time (timed out)'],
  [/Network is unreachable|No route to host/u, 'its address cannot be reached from this Device'],
  [/certificate/iu, 'its certificate is not trusted by this Device'],
  [/Address already in use|bind failed/u, 'its port is in use on this Device'],
  [/Connection reset by peer|Broken pipe/u, 'its server has closed the connection'],
  [/Invalid data found|could not find codec parameters|does not contain any stream/iu, 'what it sends cannot be read as media'],
  [/End of file/u, 'it ended before any media came'],
]; // prettier-ignore

/** Of what an SRT peer says: what it says again at the next attempt; a full backlog or a listener that is not ready passes. */
const LASTING = /passphrase|password|secret|unsecure|authori|forbidden|not found|\b140[134]\b/iu;

/** undefined: nothing that is known. `words` are lines of ffmpeg, secrets hidden. */
export function sourceReason(words: string): SourceReason | undefined {
  const rejected = SRT_REFUSAL.exec(words)?.[1];
  if (rejected !== undefined)
    return { why: `its peer refuses the SRT connection: ${rejected}`, isRefusal: LASTING.test(rejected) };
  const refused = REFUSING_STATUS.exec(words);
  if (refused !== null) {
    const [, status, text = ''] = refused;
    return { why: `its server refuses the request (${`${status} ${text}`.trim()})`, isRefusal: true };
  }
  const server = RTMP_ERROR.exec(words)?.[1];
  if (server !== undefined)
    return { why: `its server refuses the stream: ${server.replace(/\.$/u, '')}`, isRefusal: isRtmpRefusal(words) };
  const status = STATUS.exec(words)?.[1];
  if (status !== undefined) return { why: `its server answers with an error (${status})`, isRefusal: false };
  const found = PATTERNS.find(([pattern]) => pattern.test(words));
  return found && { why: found[1], isRefusal: false };
}

/** A source that gives nothing: `message` in our own words, half a sentence; `upstream` what ffmpeg, or whoever was asked, said. */
export class SourceTrouble extends Error {
  readonly upstream: string | undefined;
  /** For a status and the event log, which have no field for words from outside: where we have none, those follow. */
  readonly told: string;

  constructor(message: string, upstream?: string, told = message) {
    super(message);
    this.upstream = upstream;
    this.told = told;
  }
}

const UNKNOWN = 'it cannot be read';

/** `words`: all that was said lately; `lastWords`: what of it is repeated. */
export function troubleOf(words: string, lastWords: string | undefined): SourceTrouble {
  const why = sourceReason(words)?.why;
  if (why !== undefined || lastWords === undefined) return new SourceTrouble(why ?? UNKNOWN, lastWords);
  return new SourceTrouble(UNKNOWN, lastWords, `${UNKNOWN} (ffmpeg: ${lastWords})`);
}

/** With a full stop, whether it had one or not. */
export function ended(sentence: string): string {
  return `${sentence.replace(/\.$/u, '')}.`;
}
