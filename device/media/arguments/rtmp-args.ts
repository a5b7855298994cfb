/** Arguments of the RTMP publishers: secrets apart from the address, certificates verified, failures in plain words. */
import { rtmpParts } from '../../../domain/rtmp-address.ts';
import { ended } from '../../../domain/sentence.ts';
import { assertDeliverable } from './deliverable.ts';
import { bytesIn, bytesOut, copyInputArgs, PROGRESS } from './publisher-args.ts';
import { presetOf } from './preset.ts';

/** A stalled server shows when this buffer is full; the kernel's own would swallow 4 MB, some 10 s, first. */
const SEND_BUFFER_BYTES = '262144';

export interface RtmpTarget {
  /** The part that everybody may see in the process list: no key, no query. */
  url: string;
  /** host:port of the address, for messages. */
  peer: string;
  secure: boolean;
  /** Lines for -fpre: the secret part, read from a private file. */
  preset: string;
}

/** Splits a delivery address. Throws TypeError for one that cannot be handed over in secret. */
export function rtmpTarget(address: string, streamKey: string | null): RtmpTarget {
  assertDeliverable(address);
  const url = new URL(address);
  const { protocol, host } = url;
  const { app, key } = rtmpParts(url, streamKey);
  const [path = ''] = url.pathname.split('/').filter((part) => part !== '');
  const preset = presetOf({ rtmp_app: app, rtmp_playpath: key });
  return { url: `${protocol}//${host}/${path}`, peer: host, secure: protocol === 'rtmps:', preset };
}

export interface RtmpConnection {
  target: RtmpTarget;
  presetFile: string;
  /** PEM of the authorities that may vouch for an RTMPS server; undefined leaves it to the TLS library. */
  authoritiesFile: string | undefined;
}

function connectionArgs({ target, presetFile, authoritiesFile }: RtmpConnection): string[] {
  // ffmpeg believes any certificate unless it is told not to.
  const verified = target.secure
    ? ['-tls_verify', '1', ...(authoritiesFile === undefined ? [] : ['-ca_file', authoritiesFile])]
    : [];
  const preset = target.preset === '' ? [] : ['-fpre', presetFile];
  return ['-send_buffer_size', SEND_BUFFER_BYTES, ...verified, ...preset, target.url];
}

/** ffmpeg makes FLV of the transport stream on stdin. */
export function rtmpArgs(connection: RtmpConnection, audioCodec: string | undefined): string[] {
  return [
    ...copyInputArgs,
    ...['-map', '0:v:0?', '-map', '0:a:0?', '-c', 'copy'],
    // FLV holds AAC without ADTS headers.
    ...(audioCodec === 'mp4a' || audioCodec === 'copy' ? ['-bsf:a', 'aac_adtstoasc'] : []),
    ...['-f', 'flv', '-flvflags', 'no_duration_filesize', ...PROGRESS],
    ...connectionArgs(connection),
  ];
}

/** FLV comes on stdin: ffmpeg's RTMP takes the tags out of it and looks into none but the metadata. */
export function rtmpBytesArgs(connection: RtmpConnection): string[] {
  return [...bytesIn, '-flush_packets', '1', ...bytesOut, ...connectionArgs(connection)];
}

/** Turns ffmpeg's words about a failure into one sentence for a person; undefined when they are not known. */
export function rtmpReason(stderr: string, peer: string): string | undefined {
  const refusal = /Server error: (.+)/u.exec(stderr)?.[1];
  if (refusal !== undefined)
    return `The server ${peer} refuses the stream: ${ended(refusal)} Check the application and the stream key.`;
  if (/Failed to resolve hostname/u.test(stderr)) return `The server ${peer} is not known in the name service.`;
  if (/certificate/iu.test(stderr)) return untrusted(stderr, peer);
  if (/Connection refused/u.test(stderr)) return `The server ${peer} refuses connections; nothing listens there.`;
  // A server that asks for permission elsewhere (nginx-rtmp's on_publish) says nothing to a key that it does not take: it hangs up.
  if (/^(?:\[\w+\] )?rtmps?:\S+: Input\/output error/mu.test(stderr))
    return `The server ${peer} has hung up before it took the stream. Check the application and the stream key.`;
  if (/(?:Broken pipe|Connection reset by peer)/u.test(stderr)) return `The server ${peer} has closed the connection.`;
  return undefined;
}

/** The server has looked at the stream key, or at who sends, and does not take it. */
export function isRtmpRefusal(stderr: string): boolean {
  return /Server error: .*(?:denied|reject|invalid|wrong|forbidden|unauthori|not (?:allowed|found)|bad ?name|badauth|key)/iu.test(
    stderr,
  );
}

function untrusted(stderr: string, peer: string): string {
  const why = /hostname|owner/iu.test(stderr)
    ? 'is for another host'
    : 'is not signed by an authority that this Device trusts';
  return `The certificate of ${peer} ${why}; correct it, or name its authority by SSL_CERT_FILE on the Device.`;
}
