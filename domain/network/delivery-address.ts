/**
 * Addresses that no attempt could deliver to, whatever the other end does; they are refused where they are stored, and again where they are
 * used.
 */
import { byteLength } from '../base/code-points.ts';
import { controlIssue } from '../base/schema.ts';
import { bucketIssue } from './bucket-address.ts';
import { addressPassphrase, passphraseIssues } from './srt.ts';

/** Larger numbers are microseconds: nobody means a latency under 8 ms. */
export const MAX_SRT_LATENCY_MS = 8000;
/** SRT access control, §2: a stream id has at most 512 bytes. */
export const MAX_STREAM_ID_BYTES = 512;
const SRT_KEY_BYTES = ['16', '24', '32'];
/** Protocols without a default port, each with an example. */
const PORT_NEEDED: Readonly<Record<string, string>> = {
  'srt:': 'host:9000',
  'udp:': '239.1.1.1:5000',
  'rtp:': '239.1.1.1:5000',
  'rist:': 'host:5004',
};

/** Answers half a sentence, or undefined. `address` is a URL of a scheme that the type takes. */
export function addressIssue(address: string): string | undefined {
  const url = new URL(address);
  const port = portIssue(url);
  if (port !== undefined) return port;
  switch (url.protocol) {
    case 'rtmp:':
    case 'rtmps:':
      return hasUser(url)
        ? 'holds a user name or password; send them as settings.username and settings.password, or use a stream key'
        : undefined;
    case 'srt:':
      return srtIssue(url);
    case 'udp:':
    case 'rtp:':
      return hasUser(url) ? 'holds a user name or password, which datagrams have no place for' : datagramIssue(url);
    case 's3:':
      return bucketIssue(address);
    default:
      return isDecodable(url) ? undefined : 'holds a % that begins no escape; write it as %25';
  }
}

/** Answers half a sentence, or undefined: a port that nobody can listen on, or a missing port that the protocol has no default for. */
export function portIssue({ protocol, port }: URL): string | undefined {
  if (port === '0') return 'names port 0, which nobody can be reached at';
  const example = PORT_NEEDED[protocol];
  return port === '' && example !== undefined ? `needs a port, as in ${protocol}//${example}` : undefined;
}

/** Answers half a sentence, or undefined. */
export function streamIdIssue(streamId: string): string | undefined {
  const control = controlIssue(streamId);
  if (control !== undefined) return control;
  const bytes = byteLength(streamId);
  return bytes <= MAX_STREAM_ID_BYTES
    ? undefined
    : `has ${bytes} bytes; an SRT stream id has at most ${MAX_STREAM_ID_BYTES}`;
}

function srtIssue(url: URL): string | undefined {
  const { searchParams: query } = url;
  if (hasUser(url)) return 'holds a user name or password, which SRT has no place for; use a passphrase';
  const mode = query.get('mode') ?? 'caller';
  if (mode !== 'caller' && mode !== 'listener') return `asks for SRT mode ${mode}; use caller or listener`;
  const latency = query.get('latency');
  if (latency !== null && !/^[1-9]\d*$/u.test(latency)) return 'has an SRT latency that is not a whole number above 0';
  if (!SRT_KEY_BYTES.includes(query.get('pbkeylen') ?? '16')) return 'has an SRT pbkeylen other than 16, 24 or 32';
  const passphrase = addressPassphrase(url.href);
  const [secret] = passphrase === '' ? [] : passphraseIssues(passphrase, 'passphrase');
  if (secret !== undefined) return `holds a passphrase that ${secret.message}`;
  const streamId = streamIdIssue(query.get('streamid') ?? '');
  return streamId === undefined ? undefined : `holds a streamid that ${streamId}`;
}

function datagramIssue({ searchParams }: URL): string | undefined {
  const ttl = searchParams.get('ttl');
  const isHops = ttl === null || (/^\d{1,3}$/u.test(ttl) && Number(ttl) <= 255);
  return isHops ? undefined : 'has a ttl that is not a whole number from 0 to 255';
}

function hasUser({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}

/** These parts are sent to an origin decoded. */
function isDecodable({ pathname, username, password }: URL): boolean {
  try {
    for (const part of [pathname, username, password]) decodeURIComponent(part);
    return true;
  } catch {
    // The answer is that a part cannot be decoded.
    return false;
  }
}

/** Throws TypeError for an address that no attempt could deliver to. It is refused where it is stored, and may be older than that rule. */
export function assertDeliverable(address: string): void {
  const issue = addressIssue(address);
  if (issue !== undefined) throw new TypeError(`The address of this Destination ${issue}.`);
}
