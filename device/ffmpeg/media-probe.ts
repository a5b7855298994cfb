/** Length and tracks of a media file of our own, found by ffprobe. */
import { createHash } from 'node:crypto';
import type { RecordingTrack } from '../../domain/shapes/media/recording.ts';
import { CONTAINERS, inputRules } from './input-rules.ts';
import { inheritedFile, runMedia } from './run.ts';
import { lowComplexityConfig } from '../media/fmp4/aac-config.ts';

export interface ProbedTrack extends RecordingTrack {
  seconds: number;
  /** Tracks with equal values can follow each other in one file. */
  setUp: string;
}

export interface ProbedMedia {
  /** Seconds at which the file's own time begins: a transport stream seldom begins at 0. */
  startsAt: number;
  seconds: number;
  tracks: ProbedTrack[];
}

interface ProbedStream {
  codec_type?: string;
  codec_name?: string;
  profile?: string;
  duration?: string;
  bit_rate?: string;
  width?: number;
  height?: number;
  sample_rate?: string;
  channels?: number;
  extradata_hash?: string;
  tags?: { language?: string };
}

/** The index of a day in half-second fragments takes some seconds of a slow disk; a file that takes longer is damaged. */
const PROBE_MS = 60_000;
/** The API's names of codecs that ffmpeg calls otherwise. */
const CODECS: Record<string, string> = { aac: 'mp4a', mp2: 'mpga', mpeg2video: 'mpgv', mpeg4: 'mp4v' };

/** `file` is a path, or a descriptor of this process, which stays readable when its name is gone. Rejects with Error in ffprobe's words. */
export async function probeMedia(file: string | number): Promise<ProbedMedia> {
  const { format, streams = [] } = await ffprobe(file);
  const tracks = streams
    .filter(({ codec_type: kind }) => kind === 'video' || kind === 'audio')
    .map((stream, index) => trackOf(stream, index + 1));
  const seconds = Number(format?.duration ?? 0);
  if (tracks.length === 0 || !(seconds > 0)) throw new Error('There is no media in it.');
  return { startsAt: Number(format?.start_time ?? 0), seconds, tracks };
}

function trackOf(stream: ProbedStream, trackId: number): ProbedTrack {
  const { codec_type: kind, codec_name: name = '', bit_rate: rate, tags } = stream;
  const { width, height, sample_rate, channels, extradata_hash } = stream;
  const isPicture = kind === 'video';
  return {
    trackId,
    kind: isPicture ? 'video' : 'audio',
    codec: name === 'aac' && stream.profile?.startsWith('HE') === true ? 'aacp' : (CODECS[name] ?? name),
    // ISO 639-2/B: `und` stands for a language that nobody has named.
    language: tags?.language === undefined || tags.language === 'und' ? null : tags.language,
    bitrate_kbps: rate === undefined ? null : Math.round(Number(rate) / 1000),
    width: isPicture ? (width ?? null) : null,
    height: isPicture ? (height ?? null) : null,
    seconds: Number(stream.duration ?? 0),
    setUp: JSON.stringify([kind, name, width, height, sample_rate, channels, extradata_hash ?? assumedHash(stream)]),
  };
}

/** AAC without a description, as in parts of earlier versions, counts as LC: the joined file will describe it so. */
function assumedHash({ codec_name, sample_rate, channels }: ProbedStream): string | undefined {
  const config = codec_name === 'aac' ? lowComplexityConfig(Number(sample_rate), channels ?? 0) : undefined;
  return config && `MD5:${createHash('md5').update(config).digest('hex')}`;
}

interface ProbedFile {
  format?: { start_time?: string; duration?: string };
  streams?: ProbedStream[];
}

async function ffprobe(file: string | number): Promise<ProbedFile> {
  const path = typeof file === 'string' ? file : inheritedFile(0);
  const show = ['-show_format', '-show_streams', '-show_data_hash', 'md5', '-print_format', 'json'];
  const rules = inputRules({ protocols: 'file', formats: CONTAINERS });
  const args = ['-hide_banner', '-loglevel', 'error', ...rules, ...show, '-i', `file:${path}`];
  const input = typeof file === 'string' ? { access: { reads: [path] } } : { files: [file] };
  const { code, signal, stdout, stderr, failure } = await runMedia('ffprobe', args, { ...input, limitMs: PROBE_MS });
  if (code === 0) return JSON.parse(stdout) as ProbedFile;
  if (failure !== undefined) throw failure;
  const complaint = stderr.trim().split('\n').at(-1)?.replaceAll(`file:${path}`, 'the file') ?? '';
  throw new Error(complaint === '' ? `ffprobe ended (${signal ?? `exit code ${code}`}).` : complaint.slice(0, 300));
}
