/** Arguments of the ingest: a Channel in, raw frames out on fd 3 and samples on fd 4; in copy mode a transport stream on stdout. */
import type { SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { CONTAINERS, inputRules, LIVE_FORMATS, WEB_FORMATS, type InputRules } from '../../ffmpeg/input-rules.ts';
import { datagramUrl } from './datagram-url.ts';
import type { InputFeed, InputFeeder, InputRelay, PushedForm } from './input-feed.ts';
import { isPlaylistUrl, MAYBE_LIVE } from './web-address.ts';
import { audioArgs, muxerArgs, QUIET, trackLabels } from './encoder-args.ts';
import type { Filters } from './ingest-filters.ts';
import type { AudioStreamPlan, LadderPlan } from '../ladder/ladder-plan.ts';
import { playsAsset } from '../../../domain/types/channel-questions.ts';

/** The streams that are taken of a source. ffmpeg ends at once when one of them is not there, and says which. */
export type Shape = 'both' | 'video' | 'audio';

export interface IngestInput {
  args: string[];
  /** A list for ffmpeg's stdin that names a secret URL, which neither the process list nor a file on the disk shows. */
  list: string | undefined;
  /** Its addresses come from elsewhere and let in whoever has them: errors show their hosts alone. */
  hidesAddresses?: true;
  /** Replaces args and list for a source that may be live: it comes at its own rate, and the others would be as late as its analysis took. */
  asLive?: Pick<IngestInput, 'args' | 'list'>;
  /** A peer connects to it whenever it likes: silence before is no fault, and after it left ffmpeg listens again at once. */
  listens?: { againMs: number };
  /** It is live, and begins with all since its last keyframe. */
  hasBurst?: true;
  /** It is live, and what ffmpeg has analysed of it comes all at once. */
  comesLive?: true;
  /** Its end is no end of the source, which is opened anew at once. */
  goesOn?: true;
  /** ffmpeg reads its stdin, which the owner of the media writes: `feed`, or whoever pushes. */
  readsStdin?: true;
  feed?: InputFeed;
  /** The container that comes by stdin, at its own rate. */
  form?: PushedForm;
  /** A reader of one format is ended where its streams change, and the next one begins with the new ones. */
  beginsAnew?: true;
  relay?: InputRelay;
  /** Its pictures and samples are not coded, and come from a process of ours. */
  feeder?: InputFeeder;
  /** The files that ffmpeg reads. */
  reads?: string[];
}

/** Microseconds of silence on the wire that end an ingest: a reconnect is quicker than the time that most servers wait. */
const SILENCE_US = '5000000';
/**
 * An address may lead to these protocols. `file` is never one: the playlist that a server gives would have ffmpeg read this machine's
 * files. `data` and `crypto` are how HLS hands over keys and decrypts.
 */
const WEB = { protocols: 'http,https,tcp,tls,httpproxy,crypto,data', formats: WEB_FORMATS };
const FLV = 'flv,live_flv';
const RULES: Record<string, InputRules> = {
  'http:': WEB,
  'https:': WEB,
  'rtmp:': { protocols: 'rtmp,tcp', formats: FLV },
  'rtmps:': { protocols: 'rtmps,tls,tcp,httpproxy', formats: FLV },
  // A relay on loopback speaks to the server (device/runner/rtsp/); nothing in its description may lead ffmpeg elsewhere.
  'rtsp:': { protocols: 'tcp', formats: 'rtsp' },
  'udp:': { protocols: 'udp', formats: LIVE_FORMATS },
  'rtp:': { protocols: 'rtp,udp', formats: 'rtp' },
};
/** Silence before the first datagram is no fault of an address that anyone may send to; the port is open again at once. */
const DATAGRAMS_AGAIN_MS = 100;

/** These are upper bounds: a joiner waits for the next keyframe to know the size of the video. Analysis ends as soon as all is known. */
export const LIVE_PROBE = ['-probesize', '5000000', '-analyzeduration', '3000000', '-fpsprobesize', '0'];

/**
 * ffmpeg's program, unlike its library, looks for further programmes of an MPEG-TS to the end of the analysis: the first frame would come
 * after 3.5 s in place of 0.8. An RTP input does not know the option.
 */
export const NO_MORE_PROGRAMS = ['-scan_all_pmts', '0'];

function isSecretUrl(url: string): boolean {
  const parsed = new URL(url);
  if (parsed.protocol === 'udp:' || parsed.protocol === 'rtp:') return false;
  return parsed.username !== '' || parsed.password !== '' || parsed.search !== '' || parsed.protocol.startsWith('rtmp');
}

/** Single quotes take everything literally but a quote, which must stand outside of them. */
function quoted(text: string): string {
  if (/[\n\r\0]/u.test(text)) throw new TypeError('A URL or passphrase with a line break cannot be used.');
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The output has a rate of its own, and to measure that of the source takes 1.5 s. In a list it is an option of its address. */
export const UNMEASURED = { fpsprobesize: '0' };

/** Pictures over which ffmpeg measures a rate: half a second at 30 a second, and as many as tell 29.97 from 30. */
const MEASURED_PICTURES = 16;

/** Returns the input with its rate measured: ffmpeg says it, and nothing is read twice. */
export function measured(input: IngestInput): IngestInput {
  const { asLive } = input;
  return { ...input, ...withMeasure(input), ...(asLive !== undefined && { asLive: withMeasure(asLive) }) };
}

function withMeasure({ args, list }: Pick<IngestInput, 'args' | 'list'>): Pick<IngestInput, 'args' | 'list'> {
  return {
    args: args.map((arg, at) => (args[at - 1] === '-fpsprobesize' ? String(MEASURED_PICTURES) : arg)),
    list: list?.replaceAll(/^option fpsprobesize .*$/gmu, `option fpsprobesize '${MEASURED_PICTURES}'`),
  };
}

/** Returns an ffconcat list of one address, limited to these formats, with the options of its protocol. */
export function concatList(url: string, formats: string, options: Record<string, string> = {}): string {
  // The list's own rule would hold for the address as well, and allow lists of lists.
  const entries = Object.entries({ format_whitelist: formats, ...options });
  const text = entries.map(([key, value]) => `option ${key} ${quoted(value)}\n`).join('');
  return `ffconcat version 1.0\nfile ${quoted(url)}\n${text}`;
}

export function fileInput(path: string, loop: boolean): IngestInput {
  // A playlist stored as a media file must not make ffmpeg open addresses or other files.
  const rules = inputRules({ protocols: 'file', formats: CONTAINERS });
  return {
    args: ['-re', ...(loop ? ['-stream_loop', '-1'] : []), ...rules, '-i', `file:${path}`],
    list: undefined,
    reads: [path],
  };
}

/** The same file as fast as it is read: whoever reads its frames sets the pace. */
export function readAhead(input: IngestInput): IngestInput {
  return { ...input, args: input.args.filter((arg) => arg !== '-re') };
}

/** The same file from `seconds` on. One that loops is opened anew at its end: ffmpeg would loop to this place, not to the beginning. */
export function fileFrom(input: IngestInput, seconds: number): IngestInput {
  const loops = input.args.includes('-stream_loop');
  const args = input.args.filter((arg, at) => arg !== '-stream_loop' && input.args[at - 1] !== '-stream_loop');
  return { ...input, args: ['-ss', String(seconds), ...args], ...(loops && { goesOn: true }) };
}

/** Returns the input for an `IngestInput.list`, with these protocols for the addresses in it. */
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
      comesLive: true,
      listens: { againMs: DATAGRAMS_AGAIN_MS },
    };
  }
  if (protocol === 'rtsp:') {
    const connection = ['-rtsp_transport', 'tcp', '-timeout', SILENCE_US];
    return { args: [...inputRules(rules), ...connection, ...LIVE_PROBE, '-i', url], list: undefined, comesLive: true };
  }
  const timeout = { rw_timeout: SILENCE_US };
  const openedBy = (first: string[], options: Record<string, string>): Pick<IngestInput, 'args' | 'list'> => {
    if (isSecret)
      return { args: [...first, ...listArgs(rules.protocols)], list: concatList(url, rules.formats, options) };
    const flags = Object.entries(options).flatMap(([key, value]) => [`-${key}`, value]);
    return { args: [...inputRules(rules), ...first, ...flags, '-i', url], list: undefined };
  };
  // An RTMP server sends the headers of audio and video late; less than 3 s misses one of them.
  const probe = ['-analyzeduration', '3000000'];
  // RTMP comes at its own rate.
  if (!protocol.startsWith('http')) return { ...openedBy(probe, { ...timeout, ...UNMEASURED }), comesLive: true };
  const isPlaylist = isPlaylistUrl(url);
  // HLS and files come in bursts, as fast as the network gives them; -re reads them at their own rate.
  const atRate = openedBy(['-re', ...probe], { ...timeout, ...(isPlaylist && { live_start_index: '-2' }) });
  if (!MAYBE_LIVE.test(pathname)) return atRate;
  const early = pathname.endsWith('.flv') || isSecret ? [] : NO_MORE_PROGRAMS;
  return { ...atRate, asLive: openedBy([...LIVE_PROBE, ...early], { ...timeout, ...(isSecret && UNMEASURED) }) };
}

/** The number of an audio track of the source, from 0; undefined leaves the choice to the Channel's settings, or to ffmpeg. */
export type TrackNumber = number | undefined;

function programSelector({ settings: { program } }: SourceSpec): string {
  return program === undefined || program === 0 ? '' : `p:${program}:`;
}

/** Selects the video that is taken; undefined leaves the choice to ffmpeg, which takes the largest of several. */
function videoSelector(source: SourceSpec): string | undefined {
  const program = programSelector(source);
  // V leaves out cover pictures, which are video streams of one frame.
  if (playsAsset(source)) return '0:V:0';
  return program === '' ? undefined : `0:${program}v`;
}

function audioSelector(source: SourceSpec, track: TrackNumber): string | undefined {
  const program = programSelector(source);
  const number = track ?? source.settings.audiotrack;
  const isNamed = program !== '' || number !== undefined || playsAsset(source);
  return isNamed ? `0:${program}a:${number ?? 0}` : undefined;
}

function map(selector: string | undefined): string[] {
  return selector === undefined ? [] : ['-map', selector];
}

/** ffmpeg says what it has found in the input, and writes no line of progress each second. */
const TALKATIVE = ['-loglevel', 'level+info', '-nostats'];

/** The -map of the video; empty leaves the choice to ffmpeg. */
export function videoMap(source: SourceSpec): string[] {
  return map(videoSelector(source));
}

/**
 * Descriptors from which ffmpeg reads its filters. It opens its outputs after it has analysed its input and said what that is, and waits
 * here for an answer that depends on it (up to ffmpeg 8).
 */
export const FILTER_FD = { video: 7, audio: 8 };

/** Returns the descriptors of the samples and of the filters of the `i`-th audio track that is taken. */
export function trackFds(i: number): { samples: number; filters: number } {
  return i === 0 ? { samples: 4, filters: FILTER_FD.audio } : { samples: 7 + 2 * i, filters: 8 + 2 * i };
}
/** Raw audio has no time stamps; its muxer complains of each packet all the same when they go back. */
const COUNTED = ['-bsf:a', 'setts=ts=N'];

interface RawIngestArgsOptions {
  filters?: Filters | undefined;
  tracks?: readonly TrackNumber[] | undefined;
  threads?: number | undefined;
}

/**
 * ffmpeg asks for the filters at its descriptors when they are left out. `tracks` are the audio tracks that are taken, `threads` those of
 * the decoders.
 */
export function rawIngestArgs(
  source: SourceSpec,
  input: IngestInput,
  plan: Pick<LadderPlan, 'hasVideo' | 'tracks'>,
  shape: Shape,
  { filters, tracks = plan.tracks.map(({ number }) => number), threads = 1 }: RawIngestArgsOptions = {},
): string[] {
  // The output makes the rate constant, because it outlives a graph that is built anew: it fills up gaps and late frames. It takes the rate
  // from its filters, which may not be known yet.
  const constant = ['-fps_mode', 'cfr', '-f', 'rawvideo'];
  const videoFlags = filters === undefined ? ['-filter_script:v', `pipe:${FILTER_FD.video}`] : ['-vf', filters.video];
  const audioOutput = (track: TrackNumber, i: number): string[] => {
    const fds = trackFds(i);
    const flags = filters === undefined ? ['-filter_script:a', `pipe:${fds.filters}`] : ['-af', filters.audio[i]!];
    return [...map(audioSelector(source, track)), ...flags, ...COUNTED, '-f', 's16le', `pipe:${fds.samples}`];
  };
  return [
    ...[...QUIET, ...TALKATIVE, '-threads', String(threads), ...input.args],
    ...(shape === 'audio' || !plan.hasVideo ? [] : [...videoMap(source), ...videoFlags, ...constant, 'pipe:3']),
    ...(shape === 'video' ? [] : tracks.flatMap(audioOutput)),
  ];
}

interface CopyIngestArgsOptions {
  isTalkative?: boolean | undefined;
  tracks?: readonly TrackNumber[] | undefined;
}

/** Tracks keep their PIDs when the source lacks one of them. */
export function copyIngestArgs(
  source: SourceSpec,
  input: IngestInput,
  plan: LadderPlan,
  offsetSeconds: number,
  { isTalkative = false, tracks = plan.tracks.map(({ number }) => number) }: CopyIngestArgsOptions = {},
): string[] {
  const taken = plan.audios.filter(({ track }) => tracks.includes(track.number));
  const [only] = plan.audios.length === 1 ? taken : [];
  const audio =
    only !== undefined
      ? ['-map', `${audioSelector(source, only.track.number) ?? '0:a:0'}?`]
      : taken.flatMap(({ track }) => ['-map', audioSelector(source, track.number)!]);
  const pids = [...plan.videos, ...taken].flatMap(({ pid }, i) => ['-streamid', `${i}:${pid}`]);
  return [
    ...[...QUIET, ...(isTalkative ? TALKATIVE : []), ...input.args],
    ...(plan.hasVideo ? ['-map', videoSelector(source) ?? '0:V:0', '-c:v', 'copy'] : ['-vn']),
    ...(taken.length === 0 ? ['-an'] : [...audio, ...taken.flatMap(copiedAudio), ...trackLabels(taken)]),
    ...[...pids, '-output_ts_offset', offsetSeconds.toFixed(6), ...muxerArgs, '-f', 'mpegts', 'pipe:1'],
  ];
}

function copiedAudio(stream: AudioStreamPlan, i: number): string[] {
  return stream.settings.codec === 'copy' ? [`-c:a:${i}`, 'copy'] : audioArgs(stream, i);
}

/**
 * Returns one more output: the packets of the stream with this PID. With several streams, each would wait for the next packet of the
 * others.
 */
export function cueOutput(pid: number, fd: number): string[] {
  return [
    ...['-map', `0:i:0x${pid.toString(16)}?`, '-c', 'copy', '-muxdelay', '0', '-muxpreload', '0'],
    ...['-flush_packets', '1', '-f', 'mpegts', `pipe:${fd}`],
  ];
}
