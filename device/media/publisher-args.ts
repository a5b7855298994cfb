/** Arguments of the copy publishers: the fan-out's transport stream on stdin, one Destination out, progress on fd 3. */
import { QUIET } from './encoder-args.ts';

/** Our own stream needs little probing; ffmpeg's defaults hold the first byte back for 3.8 s. */
const ONE_RENDITION = ['-probesize', '200000', '-analyzeduration', '100000', '-fpsprobesize', '0'];
const ALL_RENDITIONS = ['-probesize', '1000000', '-analyzeduration', '300000', '-fpsprobesize', '0'];
const TS_IN = ['-f', 'mpegts', '-i', 'pipe:0'];
const PROGRESS = ['-progress', 'pipe:3', '-stats_period', '0.25'];
/** A stalled server shows when this buffer is full; the kernel's own would swallow 4 MB, some 10 s, first. */
const SEND_BUFFER_BYTES = '262144';

export interface RtmpTarget {
  /** What everybody may see in the process list: no key, no query. */
  url: string;
  /** Lines for -fpre: the secret part, read from a private file. */
  preset: string;
}

/**
 * Splits a delivery address. Without a stream key of its own, what follows the application in the URL is the key, for many users
 * paste it there. Throws TypeError for what cannot be handed over in secret.
 */
export function rtmpTarget(address: string, streamKey: string | null): RtmpTarget {
  const { protocol, host, pathname, search, username, password } = new URL(address);
  if (username !== '' || password !== '')
    throw new TypeError('User name and password in an RTMP address are not supported; use a stream key.');
  const [app = '', ...rest] = pathname.split('/').filter((part) => part !== '');
  const key = streamKey ?? rest.join('/') + (rest.length > 0 ? search : '');
  const fullApp = streamKey === null ? app + (rest.length > 0 ? '' : search) : [app, ...rest].join('/') + search;
  if (/[\n\r\0]/u.test(key + fullApp)) throw new TypeError('A stream key must not contain line breaks.');
  const lines = [...(fullApp === '' ? [] : [`rtmp_app=${fullApp}`]), ...(key === '' ? [] : [`rtmp_playpath=${key}`])];
  return { url: `${protocol}//${host}/${app}`, preset: lines.map((line) => `${line}\n`).join('') };
}

export function rtmpArgs(target: RtmpTarget, presetFile: string, sound: string | undefined): string[] {
  return [
    ...[...QUIET, ...ONE_RENDITION, ...TS_IN],
    ...['-map', '0:v:0?', '-map', '0:a:0?', '-c', 'copy'],
    // FLV holds AAC without ADTS headers.
    ...(sound === 'mp4a' || sound === 'copy' ? ['-bsf:a', 'aac_adtstoasc'] : []),
    ...['-f', 'flv', '-flvflags', 'no_duration_filesize', '-send_buffer_size', SEND_BUFFER_BYTES],
    ...PROGRESS,
    ...(target.preset === '' ? [] : ['-fpre', presetFile]),
    target.url,
  ];
}

export interface RecordFormat {
  container: 'mp4' | 'ts';
  /** Codecs of all renditions in it. */
  video: string[];
  audio: string[];
}

/** Fragmented MP4 can be read up to the last fragment after a crash. Never replaces a file (-n). */
export function recordArgs({ container, video, audio }: RecordFormat, path: string): string[] {
  const mp4 = [
    ...(audio.some((codec) => codec === 'mp4a' || codec === 'copy') ? ['-bsf:a', 'aac_adtstoasc'] : []),
    ...(video.includes('hevc') ? ['-tag:v', 'hvc1'] : []),
    ...['-f', 'mp4', '-movflags', '+frag_keyframe+empty_moov+default_base_moof'],
  ];
  return [
    ...[...QUIET, '-n', ...ALL_RENDITIONS, ...TS_IN, '-map', '0', '-c', 'copy'],
    ...(container === 'mp4' ? mp4 : ['-f', 'mpegts']),
    ...[...PROGRESS, '-flush_packets', '1', `file:${path}`],
  ];
}
