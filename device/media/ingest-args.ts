/** Arguments of the ingest: a Channel in, raw frames out on fd 3 and samples on fd 4; or, for `copy`, a transport stream on stdout. */
import type { Crop } from '../../domain/livestream.ts';
import type { SourceSpec } from '../../domain/run.ts';
import { CONTAINERS, inputRules, LIVE_FORMATS, WEB_FORMATS, type InputRules } from '../ffmpeg/input-rules.ts';
import { audioArgs, muxerArgs, QUIET } from './encoder-args.ts';
import { rateArgument } from './frame-rate.ts';
import { CHANNELS, SAMPLE_RATE } from './ladder-plan.ts';
import type { LadderPlan } from './ladder-plan.ts';

/** What of the source is taken. ffmpeg ends at once when a stream that is asked for is not there, and says which. */
export type Shape = 'both' | 'video' | 'audio';

export interface IngestInput {
  args: string[];
  /** Written to ffmpeg's stdin: the list that names a secret URL, which neither the process list nor a file on the disk shows. */
  list: string | undefined;
  /** Addresses that come from elsewhere and let in who has them: errors show their hosts alone. */
  hidesAddresses?: true;
  /** A peer connects to it, whenever it likes: silence before is no fault, and after it left the door opens again at once. */
  waits?: { againMs: number };
  /** ffmpeg reads its stdin; whoever has the media writes it. */
  fed?: true;
  /** The file that it is. */
  reads?: string[];
  /** It comes from a driver or a daemon of this machine. */
  usesDrivers?: true;
}

/** Silence on the wire that ends an ingest, in microseconds: a reconnect is quicker than most servers' own patience. */
const SILENCE_US = '5000000';
/**
 * What an address may lead to. Never `file`: the playlist that a server gives would have ffmpeg read this machine's files. `data` and
 * `crypto` are how HLS hands over keys and decrypts.
 */
const WEB = { protocols: 'http,https,tcp,tls,httpproxy,crypto,data', formats: WEB_FORMATS };
const FLV = 'flv,live_flv';
const RULES: Record<string, InputRules> = {
  'http:': WEB,
  'https:': WEB,
  'rtmp:': { protocols: 'rtmp,tcp', formats: FLV },
  'rtmps:': { protocols: 'rtmps,tls,tcp,httpproxy', formats: FLV },
  'udp:': { protocols: 'udp', formats: LIVE_FORMATS },
  'rtp:': { protocols: 'rtp,udp', formats: 'rtp' },
};
/** Silence before the first datagram is no fault of an address that anyone may send to; the port is open again at once. */
const DATAGRAMS_AGAIN_MS = 100;

/** Upper bounds: a joiner waits for the next keyframe to know the size of the picture. Analysis ends as soon as all is known. */
export const LIVE_PROBE = ['-probesize', '5000000', '-analyzeduration', '3000000', '-fpsprobesize', '0'];

/**
 * ffmpeg's program, unlike its library, looks for further programmes of an MPEG-TS to the end of the analysis: the first picture would come
 * after 3.5 s in place of 0.8. An RTP input does not know the option.
 */
const NO_MORE_PROGRAMS = ['-scan_all_pmts', '0'];

export function isSecretUrl(url: string): boolean {
  const parsed = new URL(url);
  if (parsed.protocol === 'udp:' || parsed.protocol === 'rtp:') return false;
  if (parsed.username !== '' || parsed.password !== '' || parsed.search !== '') return true;
  return parsed.protocol.startsWith('rtmp');
}

/** Single quotes take everything literally but a quote, which must be left for the moment. */
function quoted(text: string): string {
  if (/[\n\r\0]/u.test(text)) throw new TypeError('A URL or passphrase with a line break cannot be used.');
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Option of an input: the output has a rate of its own, and to measure the source's takes 1.5 s. In a list it is its address's. */
export const UNMEASURED = { fpsprobesize: '0' };

/** An ffconcat list of one address, of these formats, and the options of its protocol. */
export function concatList(url: string, formats: string, options: Record<string, string> = {}): string {
  // The list's own rule would hold for the address as well, and lists of lists with it.
  const lines = Object.entries({ format_whitelist: formats, ...options });
  const text = lines.map(([key, value]) => `option ${key} ${quoted(value)}\n`).join('');
  return `ffconcat version 1.0\nfile ${quoted(url)}\n${text}`;
}

export function fileInput(path: string, loop: boolean): IngestInput {
  // The rules: a playlist stored as a media file must not make ffmpeg open addresses or other files.
  const rules = inputRules({ protocols: 'file', formats: CONTAINERS });
  return {
    args: ['-re', ...(loop ? ['-stream_loop', '-1'] : []), ...rules, '-i', `file:${path}`],
    list: undefined,
    reads: [path],
  };
}

/** The input of an `IngestInput.list`, with these protocols for the addresses in it. */
export function listArgs(protocols: string): string[] {
  const rules = inputRules({ protocols: `pipe,${protocols}`, formats: 'concat' });
  return [...rules, '-safe', '0', '-f', 'concat', '-i', 'pipe:0'];
}

/** Throws TypeError for an address that no ffmpeg may be given; channelIssues refuses it where it is stored. */
export function streamInput(url: string, isSecret = isSecretUrl(url)): IngestInput {
  const { protocol, pathname } = new URL(url);
  const rules = RULES[protocol];
  if (rules === undefined) throw new TypeError(`Addresses with ${protocol} cannot be taken in.`);
  if (protocol === 'udp:' || protocol === 'rtp:') {
    const early = protocol === 'udp:' ? NO_MORE_PROGRAMS : [];
    return {
      args: [...inputRules(rules), ...LIVE_PROBE, ...early, '-i', datagramUrl(url)],
      list: undefined,
      waits: { againMs: DATAGRAMS_AGAIN_MS },
    };
  }
  const options: Record<string, string> = { rw_timeout: SILENCE_US };
  // HLS and files come in bursts, as fast as the network gives them: -re paces them. RTMP comes at its own pace.
  const paced = protocol.startsWith('http');
  if (paced && pathname.endsWith('.m3u8')) options.live_start_index = '-2';
  // An RTMP server sends sound and picture headers late; less than 3 s misses one of them.
  const probe = ['-analyzeduration', '3000000'];
  if (!paced) Object.assign(options, UNMEASURED);
  const pace = paced ? ['-re'] : [];
  if (isSecret) {
    return { args: [...pace, ...probe, ...listArgs(rules.protocols)], list: concatList(url, rules.formats, options) };
  }
  const flags = Object.entries(options).flatMap(([key, value]) => [`-${key}`, value]);
  return { args: [...pace, ...inputRules(rules), ...probe, ...flags, '-i', url], list: undefined };
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

/** The -map of the video; empty leaves the choice to ffmpeg. */
export function videoMap(source: SourceSpec): string[] {
  return map(selectors(source).video);
}

/**
 * `async=1` with this limit closes the gap that a loop leaves between sound and picture; async=1000 ruins the sound, async=1 alone
 * drifts by 23 ms a loop. first_pts=0 fills up sound that begins after its picture. ffmpeg builds the graph anew when the source's
 * format changes, an hour on air or more, and an hour of silence would go before the new sound: so late time stamps count from 0 again.
 */
const RESAMPLE = `asetpts=PTS-if(gt(STARTT\\,3)\\,STARTPTS\\,0),aresample=${SAMPLE_RATE}:async=1:min_hard_comp=0.01:first_pts=0`;
/** Raw sound has no time stamps; its muxer complains of each packet all the same when they go back. */
const COUNTED = ['-bsf:a', 'setts=ts=N'];

/** Edges off, then as large as fits, in the shape that the source's pixels are meant to have, with bars around. */
function fit({ width, height }: LadderPlan, crop: Crop | null): string {
  const edges = crop === null ? '' : `${cropFilter(crop)},`;
  const sides = [`min(${width}\\,${height}*dar)`, `min(${height}\\,${width}/dar)`];
  // Even sides of two pixels at least: chroma has half of each.
  const [w, h] = sides.map((side) => `max(2\\,trunc(${side}/2)*2)`);
  return `${edges}scale=w=${w}:h=${h},pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2`;
}

/**
 * Puts the first picture on a beat, by half a beat at most, and all others with it. A source whose pictures fall between two beats
 * would have them go to the one or the other by the rounding of its milliseconds: shown twice, left out, shown twice.
 */
function inStep(rate: string): string {
  return `setpts=PTS-STARTPTS+round(STARTPTS*TB*(${rate}))/(${rate})/TB`;
}

/** Per cent of each edge. Throws RangeError when nothing would be left. */
export function cropFilter({ left, right, top, bottom }: Crop): string {
  const share = (from: number, to: number): string => {
    if (from < 0 || to < 0 || from + to >= 100)
      throw new RangeError(`A crop of ${from} and ${to} % leaves no picture.`);
    return ((100 - from - to) / 100).toFixed(4);
  };
  const at = (percent: number): string => (percent / 100).toFixed(4);
  const size = `w=max(2\\,iw*${share(left, right)}):h=max(2\\,ih*${share(top, bottom)})`;
  return `crop=${size}:x=iw*${at(left)}:y=ih*${at(top)}`;
}

export function rawIngestArgs(
  source: SourceSpec,
  input: IngestInput,
  plan: LadderPlan,
  shape: Shape,
  crop: Crop | null = null,
): string[] {
  const { video, audio } = selectors(source);
  const rate = rateArgument(plan.rate);
  const deinterlace = plan.videos.some(({ settings }) => settings.deinterlace) ? 'bwdif=deint=interlaced,' : '';
  const filter = `${deinterlace}${inStep(rate)},fps=${rate},${fit(plan, crop)},setsar=1,format=yuv420p`;
  // Constant by the output, which outlives a graph that is built anew: it fills up what comes late, and gaps.
  const picture = ['-vf', filter, '-fps_mode', 'cfr', '-r', rate, '-f', 'rawvideo', 'pipe:3'];
  const sound = ['-af', RESAMPLE, '-ac', String(CHANNELS), ...COUNTED, '-f', 's16le', 'pipe:4'];
  return [
    ...[...QUIET, ...input.args],
    ...(shape === 'audio' || !plan.hasVideo ? [] : [...map(video), ...picture]),
    ...(shape === 'video' ? [] : [...map(audio), ...sound]),
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
  const encoding = sound === undefined || sound.settings.codec === 'copy' ? ['-c:a', 'copy'] : audioArgs(sound, 0);
  return [
    ...[...QUIET, ...input.args],
    ...(plan.hasVideo ? ['-map', video ?? '0:V:0', '-c:v', 'copy'] : ['-vn']),
    ...(sound === undefined ? ['-an'] : ['-map', `${audio ?? '0:a:0'}?`, ...encoding]),
    ...['-output_ts_offset', offsetSeconds.toFixed(6)],
    ...muxerArgs,
    ...['-f', 'mpegts', 'pipe:1'],
  ];
}
