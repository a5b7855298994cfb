/** The words in which a relay says why a source gives nothing. They stand in the status line that ffmpeg repeats. */
import { NetworkRefusal } from '../../../domain/network/networks.ts';
import { RELAY_MARK, RULES_MARK } from '../../media/ffmpeg-output/relay-answer.ts';

/** A status line is cut by ffmpeg behind 255 characters. */
const MAX_WORDS = 230;

export interface Failure {
  status: number;
  words: string;
  /** The rules of the networks are the reason. */
  isByRules?: true;
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'its address refuses the connection (Connection refused); nothing listens there',
  ENOTFOUND: 'its host is not known in the name service',
  EAI_AGAIN: 'its host is not known in the name service',
  ETIMEDOUT: 'its address does not answer in time (timed out)',
  ECONNRESET: 'its server has closed the connection',
  EPIPE: 'its server has closed the connection',
};
const UNTRUSTED = /CERT|SIGNED|SIGNATURE|ISSUER/u;
const NOT_TLS = /ERR_SSL|EPROTO/u;

export const NO_ANSWER: Failure = { status: 408, words: REASONS['ETIMEDOUT']! };
export const CLOSED: Failure = { status: 502, words: REASONS['ECONNRESET']! };
export const NO_RTSP: Failure = { status: 502, words: 'its server answers with what is no RTSP' };
export const ASKS_ON: Failure = { status: 502, words: 'its server asks on and on, and reads no answer' };
export const OTHER_TRANSPORT: Failure = {
  status: 502,
  words: 'its server answers with another transport than it was asked for',
};
export const NO_PORTS: Failure = { status: 502, words: 'this Device has no two free UDP ports for it' };

export function failureOfConnection(error: NodeJS.ErrnoException): Failure {
  if (error instanceof NetworkRefusal) return { status: 403, words: error.message, isByRules: true };
  const code = error.code ?? '';
  if (UNTRUSTED.test(code))
    return {
      status: 502,
      words: `its certificate is not trusted by this Device (${code}); SSL_CERT_FILE names further authorities`,
    };
  if (NOT_TLS.test(code)) return { status: 502, words: 'its server speaks no TLS there; rtsp:// is without' };
  return { status: 502, words: REASONS[code] ?? 'its address cannot be reached from this Device' };
}

const REFUSALS: Record<number, string> = {
  403: 'its server refuses the request (403 Forbidden)',
  404: 'its server has no such stream (404 Not Found); check the path of the URL',
  405: 'its server does not take the request there (405 Method Not Allowed)',
  406: 'its server has no description of the stream that can be read (406 Not Acceptable)',
  453: 'its server has no bandwidth left for one more reader (453 Not Enough Bandwidth)',
  454: 'its server has forgotten the session (454 Session Not Found)',
  503: 'its server takes no more readers now (503 Service Unavailable)',
};

/** For a status from 400 on that the relay cannot do anything about. */
export function failureOfStatus(status: number): Failure {
  const words =
    status >= 500 ? `its server answers with an error (${status})` : `its server refuses the request (${status})`;
  return { status, words: REFUSALS[status] ?? words };
}

const NO_UNICAST: Failure = {
  status: 461,
  words:
    'its server takes neither TCP nor UDP to one receiver (461 Unsupported Transport) and may serve multicast alone; write the address of its group into the Channel, as udp:// or rtp://',
};

/** `isLast` says that the other one was refused before. */
export function failureOfTransport(isTcp: boolean, isLast: boolean): Failure {
  if (isLast) return NO_UNICAST;
  const [used, other] = isTcp ? ['TCP', 'udp or auto'] : ['UDP', 'tcp'];
  return {
    status: 461,
    words: `its server does not take the transport ${used} (461 Unsupported Transport); set transport to ${other}`,
  };
}

export function failureOfCredentials(hasCredentials: boolean): Failure {
  const words = hasCredentials
    ? 'its server refuses the user name or the password (401 Unauthorized)'
    : 'its server wants a user name and a password (401 Unauthorized); write them as rtsp://user:password@host/path';
  return { status: 401, words };
}

/** Only the host of the new address is said: its path may hold a secret. */
export function failureOfRedirect(location: string | undefined): Failure {
  const host = /^[a-z]+:\/\/(?:[^/?#@]*@)?([\w.:[\]-]+)/iu.exec(location ?? '')?.[1];
  const where = host === undefined ? 'another address' : `another address, on ${host.slice(0, 60)}`;
  return {
    status: 403,
    words: `its server redirects to ${where}, which is not followed; write the new address into the Channel`,
  };
}

export function statusLine({ status, words, isByRules }: Failure): string {
  const plain = words.replace(/[^\u0020-\u007e]/gu, '?').slice(0, MAX_WORDS);
  return `RTSP/1.0 ${status} ${isByRules === true ? RULES_MARK : RELAY_MARK} ${plain}`;
}
