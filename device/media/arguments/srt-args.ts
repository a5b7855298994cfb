/** Arguments of the SRT publisher: the fan-out's transport stream on stdin, one SRT connection out, progress on fd 3. */
import { MAX_SRT_LATENCY_MS, streamIdIssue } from '../../../domain/network/delivery-address.ts';
import { srtSecrecy } from '../../../domain/network/srt.ts';
import { assertDeliverable } from '../../../domain/network/delivery-address.ts';
import { presetOf } from './preset.ts';
import { bytesIn, bytesOut } from './publisher-args.ts';
import type { PublishingSettings } from '../../../domain/types/destination-settings.ts';

export type SrtOptions = PublishingSettings['srt'];

export interface SrtTarget {
  /** The part that everybody may see in the process list: neither passphrase nor stream id. */
  url: string;
  /** host:port, for messages. */
  peer: string;
  port: number;
  mode: 'caller' | 'listener';
  /** Lines for -fpre: the secret part, read from a private file. */
  preset: string;
}

/** Seven packets of 188 bytes fit an Ethernet frame, and every receiver of transport streams expects them. */
const PAYLOAD_BYTES = 1316;
/** The time covers two round trips of a handshake across the world, lost once; with libsrt's own 3 s a retry would come too late. */
const CONNECT_TIMEOUT_MS = 2000;

/**
 * Reads a delivery address. Its query may name mode, latency, streamid, passphrase and pbkeylen, as other programs write them; a stream key
 * and the settings' passphrase come first. Throws TypeError for an address that no attempt could deliver to.
 */
export function srtTarget(address: string, streamKey: string | null, options: SrtOptions): SrtTarget {
  assertDeliverable(address);
  const { host, port, searchParams } = new URL(address);
  const mode = searchParams.get('mode') === 'listener' ? 'listener' : 'caller';
  const streamId = streamKey ?? options.streamid ?? searchParams.get('streamid') ?? '';
  // ffmpeg reads preset lines into 1000 bytes.
  const unfit = streamIdIssue(streamId);
  if (unfit !== undefined) throw new TypeError(`The stream key ${unfit}.`);
  const { passphrase, keyBits } = srtSecrecy(options, address);
  const latency = latencyMicroseconds(searchParams.get('latency')) ?? options.latency_ms * 1000;
  const query = [
    `mode=${mode}`,
    `latency=${latency}`,
    `pkt_size=${PAYLOAD_BYTES}`,
    ...(mode === 'caller' ? [`connect_timeout=${CONNECT_TIMEOUT_MS}`] : []),
    ...(passphrase === '' ? [] : [`pbkeylen=${keyBits / 8}`]),
  ];
  // The name is not `streamid`, because ffmpeg has an option of that name of its own.
  const preset = presetOf({ passphrase, srt_streamid: streamId });
  return { url: `srt://${host}?${query.join('&')}`, peer: host, port: Number(port), mode, preset };
}

/** ffmpeg and OBS count microseconds, libsrt's tools milliseconds; nobody means a latency under 8 ms, so small numbers are milliseconds. */
function latencyMicroseconds(text: string | null): number | undefined {
  if (text === null) return undefined;
  const latency = Number(text);
  return latency <= MAX_SRT_LATENCY_MS ? latency * 1000 : latency;
}

/** Our bytes go out as they are: a remux would lose cues (SCTE 35), and cost more. */
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

/**
 * ffmpeg calls every failed connection an input/output error. libsrt's own line says why a peer refused; without such a line there is no
 * peer.
 */
export function srtReason(stderr: string, peer: string): string | undefined {
  const refusal = /REJECT reported from HS processing: (.+?)(?: - |$)/mu.exec(stderr)?.[1];
  if (refusal !== undefined) return `The SRT peer ${peer} refuses the connection: ${refusal}.`;
  if (/Connection to \S+ failed/u.test(stderr)) return `The SRT peer ${peer} does not answer.`;
  if (stderr.includes('Address already in use')) return `The UDP port of ${peer} is in use on this Device.`;
  // libsrt gives a silent peer 5 s; datagrams tell of no end.
  if (/^(?:\[error\] )?av_interleaved_write_frame\(\): Input\/output error/mu.test(stderr))
    return `The SRT peer ${peer} has gone: it has not answered for 5 s.`;
  return undefined;
}
