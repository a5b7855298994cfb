/** Arguments of the SRT publisher: the fan-out's transport stream on stdin, one SRT connection out, progress on fd 3. */
import { presetOf } from './preset.ts';
import { bytesIn, bytesOut } from './publisher-args.ts';

export interface SrtOptions {
  latency_ms: number;
  /** AES key length in bits; 0 sends in the clear, whatever the passphrase. */
  encryption: 0 | 128 | 192 | 256;
  passphrase: string | null;
}

export interface SrtTarget {
  /** What everybody may see in the process list: neither passphrase nor stream id. */
  url: string;
  /** host:port, for messages. */
  peer: string;
  port: number;
  mode: 'caller' | 'listener';
  /** Lines for -fpre: the secret part, read from a private file. */
  preset: string;
}

/** 7 packets of 188 bytes: what fits an Ethernet frame, and what every receiver of transport streams expects. */
const PAYLOAD_BYTES = 1316;
/** Two round trips of a handshake across the world, lost once; libsrt's own 3 s is for nobody who waits for a retry. */
const CONNECT_TIMEOUT_MS = 2000;
const LONGEST_LATENCY_MS = 8000;
/** Bytes in UTF-8, by the standard (SRT access control). */
const LONGEST_STREAM_ID = 512;
const KEY_BYTES = [16, 24, 32];

/**
 * Reads a delivery address. Its query may name mode, latency, streamid, passphrase and pbkeylen, as other programs write them; a
 * stream key and the settings' passphrase come first. Throws TypeError for what no attempt could deliver to.
 */
export function srtTarget(address: string, streamKey: string | null, options: SrtOptions): SrtTarget {
  const { host, port, username, password, searchParams } = new URL(address);
  if (port === '') throw new TypeError('An SRT address needs a port, as in srt://host:9000.');
  if (username !== '' || password !== '')
    throw new TypeError('User name and password in an SRT address are not supported; use a passphrase.');
  const mode = searchParams.get('mode') ?? 'caller';
  if (mode !== 'caller' && mode !== 'listener')
    throw new TypeError(`SRT mode ${mode} is not supported; use caller or listener.`);
  const streamId = streamKey ?? searchParams.get('streamid') ?? '';
  if (Buffer.byteLength(streamId) > LONGEST_STREAM_ID)
    throw new TypeError(`A stream id has at most ${LONGEST_STREAM_ID} bytes.`);
  const { passphrase, keyBytes } = encryptionOf(options, searchParams);
  const latency = latencyMicroseconds(searchParams.get('latency')) ?? options.latency_ms * 1000;
  const query = [
    `mode=${mode}`,
    `latency=${latency}`,
    `pkt_size=${PAYLOAD_BYTES}`,
    ...(mode === 'caller' ? [`connect_timeout=${CONNECT_TIMEOUT_MS}`] : []),
    ...(passphrase === '' ? [] : [`pbkeylen=${keyBytes}`]),
  ];
  // Not `streamid`: ffmpeg has an option of that name of its own.
  const preset = presetOf({ passphrase, srt_streamid: streamId });
  return { url: `srt://${host}?${query.join('&')}`, peer: host, port: Number(port), mode, preset };
}

function encryptionOf(
  { encryption, passphrase }: SrtOptions,
  query: URLSearchParams,
): { passphrase: string; keyBytes: number } {
  if (encryption !== 0) return { passphrase: passphrase ?? query.get('passphrase') ?? '', keyBytes: encryption / 8 };
  const keyBytes = Number(query.get('pbkeylen') ?? 16);
  if (!KEY_BYTES.includes(keyBytes)) throw new TypeError('SRT pbkeylen is 16, 24 or 32.');
  // Who writes a passphrase into the address wants it used; a stored one with encryption 0 is switched off.
  return { passphrase: query.get('passphrase') ?? '', keyBytes };
}

/** ffmpeg and OBS count microseconds, libsrt's tools milliseconds; nobody means a latency under 8 ms, so small numbers are the latter. */
function latencyMicroseconds(text: string | null): number | undefined {
  if (text === null) return undefined;
  const latency = Number(text);
  if (!Number.isInteger(latency) || latency <= 0) throw new TypeError('SRT latency is a whole number.');
  return latency <= LONGEST_LATENCY_MS ? latency * 1000 : latency;
}

/** Our bytes as they are: a remux would lose cues (SCTE 35), and cost more. */
export function srtArgs(target: SrtTarget, presetFile: string): string[] {
  return [
    ...bytesIn,
    // Messages leave when they are full: seven packets each, as receivers expect.
    ...['-flush_packets', '0'],
    ...bytesOut,
    ...(target.preset === '' ? [] : ['-fpre', presetFile]),
    target.url,
  ];
}

/** ffmpeg calls every failed connection an input/output error; libsrt's own line says why a peer refused, silence that there is none. */
export function srtReason(words: string, peer: string): string | undefined {
  const refusal = /REJECT reported from HS processing: (.+?)(?: - |$)/mu.exec(words)?.[1];
  if (refusal !== undefined) return `The SRT peer ${peer} refuses the connection: ${refusal}.`;
  if (/Connection to \S+ failed/u.test(words)) return `The SRT peer ${peer} does not answer.`;
  if (words.includes('Address already in use')) return `The UDP port of ${peer} is in use on this Device.`;
  // libsrt gives a silent peer 5 s; datagrams tell of no end.
  if (/^(?:\[error\] )?av_interleaved_write_frame\(\): Input\/output error/mu.test(words))
    return `The SRT peer ${peer} has gone: it has not answered for 5 s.`;
  return undefined;
}
