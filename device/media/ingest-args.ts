/** Arguments of the ingest: a Channel in, raw frames out on fd 3 and samples on fd 4; or, for `copy`, a transport stream on stdout. */
import type { SourceSpec } from '../../domain/run.ts';
import { muxerArgs, QUIET } from './encoder-args.ts';
import { rateArgument } from './frame-rate.ts';
import { CHANNELS, SAMPLE_RATE } from './ladder-plan.ts';
import type { LadderPlan } from './ladder-plan.ts';

/** What of the source is taken. ffmpeg ends at once when a stream that is asked for is not there, and says which. */
export type Shape = 'both' | 'video' | 'audio';

export interface IngestInput {
  args: string[];
  /** Content of the private list file that names a secret URL; `args` then hold LIST_FILE where its path belongs. */
  list: string | undefined;
}

export const LIST_FILE = '<list>';
/** Silence on the wire that ends an ingest, in microseconds: a reconnect is quicker than most servers' own patience. */
const SILENCE_US = '5000000';
const NETWORK = 'http,https,tcp,tls,crypto,httpproxy,rtmp,rtmps,rtmpt,rtmpts,udp,rtp,data';

export function isSecretUrl(url: string): boolean {
  const parsed = new URL(url);
  if (parsed.protocol === 'udp:' || parsed.protocol === 'rtp:') return false;
  if (parsed.username !== '' || parsed.password !== '' || parsed.search !== '') return true;
  return parsed.protocol.startsWith('rtmp');
}

/** One line of an ffconcat list. Single quotes take everything literally but a quote, which must be left for the moment. */
export function concatList(url: string, options: Record<string, string> = {}): string {
  if (/[\n\r\0]/u.test(url)) throw new TypeError('A URL with a line break cannot be opened.');
  const lines = Object.entries(options).map(([key, value]) => `option ${key} ${value}\n`);
  return `ffconcat version 1.0\nfile '${url.replaceAll("'", "'\\''")}'\n${lines.join('')}`;
}

export function fileInput(path: string, loop: boolean): IngestInput {
  // The whitelist: a playlist stored as a media file must not make ffmpeg open addresses.
  return {
    args: ['-re', ...(loop ? ['-stream_loop', '-1'] : []), '-protocol_whitelist', 'file', '-i', `file:${path}`],
    list: undefined,
  };
}

export function ingestInput(source: SourceSpec): IngestInput {
  if (source.type === 'File') return fileInput(source.path!, source.settings.loop !== false);
  return streamInput(source.settings.url!);
}

function streamInput(url: string): IngestInput {
  const { protocol, pathname } = new URL(url);
  const whitelist = ['-protocol_whitelist', `${NETWORK},file`];
  if (protocol === 'udp:' || protocol === 'rtp:') {
    const probe = ['-probesize', '500000', '-analyzeduration', '500000', '-fpsprobesize', '0'];
    return { args: [...whitelist, ...probe, '-i', datagramUrl(url)], list: undefined };
  }
  const options: Record<string, string> = { rw_timeout: SILENCE_US };
  // HLS and files come in bursts, as fast as the network gives them: -re paces them. RTMP comes at its own pace.
  const paced = protocol.startsWith('http');
  if (paced && pathname.endsWith('.m3u8')) options.live_start_index = '-2';
  // An RTMP server sends sound and picture headers late; less than 3 s misses one of them.
  const probe = ['-analyzeduration', '3000000'];
  const pace = paced ? ['-re'] : [];
  if (isSecretUrl(url)) {
    return {
      args: [...pace, ...whitelist, ...probe, '-safe', '0', '-f', 'concat', '-i', LIST_FILE],
      list: concatList(url, options),
    };
  }
  const flags = Object.entries(options).flatMap(([key, value]) => [`-${key}`, value]);
  return { args: [...pace, '-protocol_whitelist', NETWORK, ...probe, ...flags, '-i', url], list: undefined };
}

/** A receive buffer for a burst, an end to silence; what the URL says itself comes first. */
function datagramUrl(url: string): string {
  const extra = ['timeout=5000000', 'fifo_size=50000', 'overrun_nonfatal=1'];
  const [base, query = ''] = url.split('?', 2);
  const given = query.split('&').filter((pair) => pair !== '');
  const missing = url.startsWith('udp:')
    ? extra.filter((pair) => !given.some((have) => have.startsWith(`${pair.split('=')[0]}=`)))
    : [];
  return [base, [...given, ...missing].join('&')].filter((part) => part !== '').join('?');
}

/** Which streams are taken; undefined leaves the choice to ffmpeg, which takes the largest picture of several. */
function selectors({ type, settings }: SourceSpec): { video: string | undefined; audio: string | undefined } {
  const program = settings.program === undefined || settings.program === 0 ? '' : `p:${settings.program}:`;
  const audio = `0:${program}a:${settings.audiotrack ?? 0}`;
  // V leaves out cover pictures, which are video streams of one frame.
  if (type === 'File') return { video: '0:V:0', audio };
  const named = program !== '' || settings.audiotrack !== undefined;
  return { video: program === '' ? undefined : `0:${program}v`, audio: named ? audio : undefined };
}

function map(selector: string | undefined): string[] {
  return selector === undefined ? [] : ['-map', selector];
}

/**
 * `async=1` with this limit closes the gap that a loop leaves between sound and picture; async=1000 ruins the sound,
 * async=1 alone drifts by 23 ms a loop.
 */
const RESAMPLE = `aresample=${SAMPLE_RATE}:async=1:min_hard_comp=0.01:first_pts=0`;

export function rawIngestArgs(source: SourceSpec, input: IngestInput, plan: LadderPlan, shape: Shape): string[] {
  const { video, audio } = selectors(source);
  const { width, height } = plan;
  const deinterlace = plan.videos.some(({ settings }) => settings.deinterlace) ? 'bwdif=deint=interlaced,' : '';
  const fit = `scale=${width}:${height}:force_original_aspect_ratio=decrease:force_divisible_by=2,pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2`;
  const filter = `${deinterlace}fps=${rateArgument(plan.rate)}:start_time=0,${fit},setsar=1,format=yuv420p`;
  return [
    ...[...QUIET, ...input.args],
    ...(shape === 'audio' || !plan.hasVideo ? [] : [...map(video), '-vf', filter, '-f', 'rawvideo', 'pipe:3']),
    ...(shape === 'video' ? [] : [...map(audio), '-af', RESAMPLE, '-ac', String(CHANNELS), '-f', 's16le', 'pipe:4']),
  ];
}

export function copyIngestArgs(
  source: SourceSpec,
  input: IngestInput,
  plan: LadderPlan,
  offsetSeconds: number,
): string[] {
  const { video, audio } = selectors(source);
  const sound = plan.audios[0];
  const soundArgs =
    sound === undefined || sound.settings.codec === 'copy'
      ? ['-c:a', 'copy']
      : [
          '-c:a',
          sound.settings.codec === 'mp3' ? 'libmp3lame' : sound.settings.codec === 'opus' ? 'libopus' : 'aac',
          '-b:a',
          `${sound.settings.bitrate}k`,
        ];
  return [
    ...[...QUIET, ...input.args],
    ...(plan.hasVideo ? ['-map', video ?? '0:V:0', '-c:v', 'copy'] : ['-vn']),
    ...(sound === undefined ? ['-an'] : ['-map', `${audio ?? '0:a:0'}?`, ...soundArgs]),
    ...['-output_ts_offset', offsetSeconds.toFixed(6)],
    ...muxerArgs,
    ...['-f', 'mpegts', 'pipe:1'],
  ];
}
