/** Turns ffmpeg's words about a source that it could not read, or a Destination that it could not deliver to, into ours. */
import { relayAnswer } from './relay-answer.ts';

export interface SourceReason {
  /** Half a sentence, which goes on after the name of the source or the Destination. */
  why: string;
  /** The other end has refused, and will do so again: another attempt changes nothing. */
  isRefusal: boolean;
}

/** libsrt writes to stderr by itself, without ffmpeg's level; ffmpeg then calls every refusal an input/output error. */
export const SRT_REFUSAL = /REJECT(?:\): \d+ -| reported from HS processing:) (.+?)(?: - not processing further)?$/mu;

/** A server answers so to whoever may not, or asks for what is not there. */
const REFUSING_STATUS = /(?:Server returned|HTTP error) (40[134])\b(?: ([A-Z][A-Za-z ]*))?/u;
/** An RTMP server says this to whoever asks for a stream. */
const RTMP_ERROR = /Server error: (.+)$/mu;
const STATUS = /(?:Server returned|HTTP error) ([45](?:\d\d|XX))\b/u;

/** libsrt takes passphrases of 10 to 79 characters, and says no more of another one than which of its options failed. */
const SRT_OPTION = /failed to set option SRTO_(\w+)/u;
const SRT_KEYS = ['PASSPHRASE', 'PBKEYLEN'];

/** How ffmpeg says what a connection of ours has failed with, by the code of node, so that one reason is made of both. */
export const CONNECTION_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Connection refused',
  ENOTFOUND: 'Failed to resolve hostname',
  EAI_AGAIN: 'Failed to resolve hostname',
  ETIMEDOUT: 'Connection timed out',
  ECONNRESET: 'Connection reset by peer',
  EPIPE: 'Broken pipe',
  ENETUNREACH: 'Network is unreachable',
  EHOSTUNREACH: 'No route to host',
  EADDRINUSE: 'Address already in use',
};

type Side = 'source' | 'delivery';

/** `only` limits a pattern to one of the two sides. */
const PATTERNS: [pattern: RegExp, why: string, only?: Side][] = [
  [/Failed to resolve hostname/u, 'its host is not known in the name service'],
  [
    /Malformed packet, rtp flag|Disabling packet processing till new NONCE/u,
    'the RIST secret of its sender is another one',
  ],
  [/srt:\/\/\S+ failed: Input\/output error/u, 'its SRT peer does not answer'],
  [/Connection refused/u, 'its address refuses the connection (Connection refused); nothing listens there'],
  [/timed out|Timeout/iu, 'its address does not answer in time (timed out)'],
  [/Network is unreachable|No route to host/u, 'its address cannot be reached from this Device'],
  [/certificate/iu, 'its certificate is not trusted by this Device'],
  [/Address already in use|bind failed/u, 'its port is in use on this Device'],
  [/Connection reset by peer|Broken pipe/u, 'its server has closed the connection'],
  [
    /Invalid data found|could not find codec parameters|does not contain any stream/iu,
    'what it sends cannot be read as media',
    'source',
  ],
  [/Stream map '\S*:[vV](?::0)?' matches no streams/u, 'it has no picture that could be copied', 'source'],
  [/End of file/u, 'it ended before any media came', 'source'],
  [/No space left on device/u, 'the disk of this Device is full', 'delivery'],
  [/Permission denied|Read-only file system/u, 'this Device may not write there', 'delivery'],
];

/** An SRT peer says these words again at the next attempt; a full backlog or a listener that is not ready passes. */
const LASTING = /passphrase|password|secret|unsecure|authori|forbidden|not found|\b140[134]\b/iu;

/** Returns undefined when nothing of `stderr`, from which secrets are hidden, is known. */
export function sourceReason(stderr: string, side: Side = 'source'): SourceReason | undefined {
  const relayed = relayAnswer(stderr);
  if (relayed !== undefined) return { why: relayed.words, isRefusal: relayed.isRefusal };
  const rejected = SRT_REFUSAL.exec(stderr)?.[1];
  if (rejected !== undefined)
    return { why: `its peer refuses the SRT connection: ${rejected}`, isRefusal: LASTING.test(rejected) };
  const option = SRT_OPTION.exec(stderr)?.[1];
  if (option !== undefined) {
    const why = SRT_KEYS.includes(option)
      ? 'its SRT passphrase is none that SRT takes; it needs 10 to 79 characters'
      : 'its SRT settings are none that SRT takes';
    return { why, isRefusal: true };
  }
  const refused = REFUSING_STATUS.exec(stderr);
  if (refused !== null) {
    const [, status, text = ''] = refused;
    return { why: `its server refuses the request (${`${status} ${text}`.trim()})`, isRefusal: true };
  }
  const server = RTMP_ERROR.exec(stderr)?.[1];
  if (server !== undefined)
    return { why: `its server refuses the stream: ${server.replace(/\.$/u, '')}`, isRefusal: isKeyRefusal(server) };
  const status = STATUS.exec(stderr)?.[1];
  if (status !== undefined) return { why: `its server answers with an error (${status})`, isRefusal: false };
  const entry = PATTERNS.find(([pattern, , only = side]) => only === side && pattern.test(stderr));
  return entry && { why: entry[1], isRefusal: false };
}

/**
 * Says in a sentence why a Destination takes no more; undefined when ffmpeg said nothing. `lastStderr` is quoted where we have no words.
 */
export function deliveryReason(stderr: string, lastStderr: string | undefined): string | undefined {
  const why = sourceReason(stderr, 'delivery')?.why;
  if (why !== undefined) return `The delivery has ended: ${why}.`;
  return lastStderr === undefined ? undefined : `The delivery has ended (ffmpeg: ${quotable(lastStderr)}).`;
}

/** An address ends before what ends a sentence or begins ffmpeg's reason. */
const ADDRESS = /\b[a-z][a-z0-9+.-]*:\/\/[^\s'"<>]*[^\s'"<>:;,.]/giu;
const SOCKET_OPTION = /\bSRTO_\w+/gu;

/**
 * Quotes ffmpeg for people without any address, which may hold a key that nobody knows as one, and without option names that nobody has
 * typed.
 */
export function quotable(text: string): string {
  return text.replace(ADDRESS, 'its address').replace(SOCKET_OPTION, 'an SRT option');
}

/** A source gives nothing: `message` says why in our own words, half a sentence; `upstream` quotes ffmpeg, or whoever was asked. */
export class SourceTrouble extends Error {
  readonly upstream: string | undefined;
  /** The reason for a status and the event log, which have no field for words from outside: it quotes those where we have none. */
  readonly publicMessage: string;
  /** The other end has refused, and will do so again. */
  readonly isRefusal: boolean;

  constructor(message: string, upstream?: string, publicMessage = message, isRefusal = false) {
    super(message);
    this.upstream = upstream;
    this.publicMessage = publicMessage;
    this.isRefusal = isRefusal;
  }
}

/** Codes of certificates that node does not take. */
const UNTRUSTED = /CERT|SIGN|ISSUER/u;

/** Why a connection of ours to a source has failed. `error` is of Node. */
export function troubleOfConnection({ code = '', message, name }: NodeJS.ErrnoException): SourceTrouble {
  const isLate = name === 'TimeoutError';
  const words = isLate ? 'timed out' : (CONNECTION_WORDS[code] ?? (UNTRUSTED.test(code) ? 'certificate' : message));
  return new SourceTrouble(sourceReason(words)?.why ?? `${UNKNOWN} (${message})`, message);
}

const UNKNOWN = 'it cannot be read';

/** Reads the reason from the recent `stderr`; `lastStderr` is quoted where we have no words. */
export function troubleOf(stderr: string, lastStderr: string | undefined): SourceTrouble {
  const why = sourceReason(stderr)?.why;
  if (why !== undefined || lastStderr === undefined) return new SourceTrouble(why ?? UNKNOWN, lastStderr);
  return new SourceTrouble(UNKNOWN, lastStderr, `${UNKNOWN} (ffmpeg: ${quotable(lastStderr)})`);
}

/** An RTMP server that says this has looked at the stream key, or at who sends, and does not take it. */
export function isKeyRefusal(words: string): boolean {
  return /denied|reject|invalid|wrong|forbidden|unauthori|not (?:allowed|found)|bad ?name|badauth|key/iu.test(words);
}
