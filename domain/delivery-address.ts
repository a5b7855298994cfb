/** Addresses that no attempt could deliver to, whatever their other end says: refused where they are stored, and again where they are used. */

/** Microseconds begin above it: nobody means a latency under 8 ms. */
export const LONGEST_SRT_LATENCY_MS = 8000;
/** SRT access control, §2: a stream id has at most 512 bytes. */
const MAX_STREAM_ID_BYTES = 512;
const SRT_KEY_BYTES = ['16', '24', '32'];

/** Half a sentence, or undefined. `address` is a URL of a scheme that the type takes. */
export function addressIssue(address: string): string | undefined {
  const url = new URL(address);
  if (url.port === '0') return 'names port 0, which nobody can be reached at';
  switch (url.protocol) {
    case 'rtmp:':
    case 'rtmps:':
      return hasUser(url) ? 'holds a user name or password, which RTMP has no place for; use a stream key' : undefined;
    case 'srt:':
      return srtIssue(url);
    case 'udp:':
    case 'rtp:':
      return datagramIssue(url);
    default:
      return isDecodable(url) ? undefined : 'holds a % that begins no escape; write it as %25';
  }
}

/** Half a sentence, or undefined. */
export function streamIdIssue(streamId: string): string | undefined {
  const bytes = new TextEncoder().encode(streamId).length;
  return bytes <= MAX_STREAM_ID_BYTES
    ? undefined
    : `has ${bytes} bytes; an SRT stream id has at most ${MAX_STREAM_ID_BYTES}`;
}

function srtIssue(url: URL): string | undefined {
  const { port, searchParams: query } = url;
  if (port === '') return 'needs a port, as in srt://host:9000';
  if (hasUser(url)) return 'holds a user name or password, which SRT has no place for; use a passphrase';
  const mode = query.get('mode') ?? 'caller';
  if (mode !== 'caller' && mode !== 'listener') return `asks for SRT mode ${mode}; use caller or listener`;
  const latency = query.get('latency');
  if (latency !== null && !/^[1-9]\d*$/u.test(latency)) return 'has an SRT latency that is not a whole number above 0';
  if (!SRT_KEY_BYTES.includes(query.get('pbkeylen') ?? '16')) return 'has an SRT pbkeylen other than 16, 24 or 32';
  const passphrase = query.get('passphrase') ?? '';
  if (passphrase !== '' && (passphrase.length < 10 || passphrase.length > 79))
    return 'has an SRT passphrase that is not of 10-79 characters';
  const tooLong = streamIdIssue(query.get('streamid') ?? '');
  return tooLong === undefined ? undefined : `holds a streamid that ${tooLong}`;
}

function datagramIssue({ protocol, port, searchParams }: URL): string | undefined {
  if (port === '') return `needs a port, as in ${protocol}//239.1.1.1:5000`;
  const ttl = searchParams.get('ttl');
  const isHops = ttl === null || (/^\d{1,3}$/u.test(ttl) && Number(ttl) <= 255);
  return isHops ? undefined : 'has a ttl that is not a whole number from 0 to 255';
}

function hasUser({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}

/** The parts that are sent to an origin decoded. */
function isDecodable({ pathname, username, password }: URL): boolean {
  try {
    for (const part of [pathname, username, password]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}
