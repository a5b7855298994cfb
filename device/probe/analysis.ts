/** Finds out what some seconds of media are: formats, rate, keyframes, levels, captions and a picture. */
import type { DeviceProbe, ProbedAudio, ProbedVideo } from '../../domain/shapes/sources/probe.ts';
import type { Sandbox } from '../ffmpeg/launch.ts';
import { FIELD_2, PAIR_BYTES } from '../media/captions/cc-data.ts';
import { captionOutput, CaptionReader } from '../media/captions/cc-reader.ts';
import { subtitlesIn } from '../media/mpeg-ts/subtitles.ts';
import { levelsOf } from './levels.ts';
import { bitrateOf, packetFacts, type ListedPacket, type PacketFacts } from './packet-facts.ts';
import { runPiped, type PipedOptions } from './piped.ts';

interface ListedStream {
  index: number;
  codec_type?: string;
  codec_name?: string;
  width?: number;
  height?: number;
  color_transfer?: string;
  sample_rate?: string;
  channels?: number;
  tags?: { language?: string };
}

/** A list and a decoder of some seconds of media take under one; a hostile source is given up. */
const LIMIT_MS = 2000;
const MAX_TRACKS = 8;
const PICTURE_WIDTH = 1280;
const FIELDS =
  'packet=stream_index,pts_time,size,flags:stream=index,codec_type,codec_name,width,height,color_transfer,sample_rate,channels:stream_tags=language';
const HDR: Readonly<Record<string, string>> = { smpte2084: 'HDR10', 'arib-std-b67': 'HLG' };

type Facts = Omit<DeviceProbe, 'took_ms'>;

/** `media` is NUT; `notes` are what ffmpeg said of the source itself, which alone tell of a rotation. */
export async function analyse(media: Buffer, notes: string, { sandbox }: { sandbox: Sandbox }): Promise<Facts> {
  const options = { sandbox, limitMs: LIMIT_MS };
  const list = ['-hide_banner', '-loglevel', 'error', '-show_streams', '-show_packets', '-show_entries', FIELDS];
  const [, json] = await runPiped('ffprobe', [...list, '-of', 'json', '-f', 'nut', '-i', 'pipe:0'], media, options);
  const { streams, packets } = listIn(json!);
  const video = largest(streams.filter(({ codec_type: kind }) => kind === 'video'));
  const audio = streams.filter(({ codec_type: kind }) => kind === 'audio').slice(0, MAX_TRACKS);
  const facts = packetFacts(packets.filter(({ stream_index: at }) => at === video?.index));
  const decoded = await decode(
    media,
    video,
    audio.map(({ index }) => index),
    options,
  );
  const chosen = new Set([video?.index, ...audio.map(({ index }) => index)]);
  return {
    bitrate_kbps: bitrateOf(packets.filter(({ stream_index: at }) => chosen.has(at))),
    video: video === undefined ? null : videoFacts(video, facts, decoded.isInterlaced, notes),
    audio: audio.map((stream, at) => ({ ...audioFacts(stream), ...levelsOf(decoded.sound[at]!) })),
    captions: [...(video === undefined ? [] : await captionsOf(media, video.index, options)), ...subtitlesIn(notes)],
    seconds: facts.seconds,
    isVariableRate: facts.isVariableRate,
    picture: decoded.picture.length === 0 ? null : decoded.picture.toString('base64'),
  };
}

function listIn(json: Buffer): { streams: ListedStream[]; packets: ListedPacket[] } {
  try {
    const { streams = [], packets = [] } = JSON.parse(json.toString('utf8')) as {
      streams?: ListedStream[];
      packets?: ListedPacket[];
    };
    return { streams, packets };
  } catch {
    // A list that was cut off at its limit says nothing that could be relied on.
    return { streams: [], packets: [] };
  }
}

function largest(videos: readonly ListedStream[]): ListedStream | undefined {
  const pixels = ({ width = 0, height = 0 }: ListedStream): number => width * height;
  return [...videos].sort((a, b) => pixels(b) - pixels(a))[0];
}

function videoFacts(
  stream: ListedStream,
  facts: PacketFacts,
  isInterlaced: boolean | null,
  notes: string,
): ProbedVideo {
  return {
    codec: stream.codec_name ?? 'unknown',
    width: stream.width ?? 0,
    height: stream.height ?? 0,
    fps: facts.fps,
    interlaced: isInterlaced,
    rotation: rotationIn(notes),
    hdr: HDR[stream.color_transfer ?? ''] ?? null,
    keyframe_interval_seconds: facts.keyframeSeconds,
  };
}

function audioFacts({
  codec_name,
  channels,
  sample_rate,
  tags,
}: ListedStream): Omit<ProbedAudio, 'peak_dbfs' | 'rms_dbfs'> {
  const language = tags?.language;
  return {
    codec: codec_name ?? 'unknown',
    channels: channels ?? 0,
    sample_rate: Number(sample_rate ?? 0),
    language: language === undefined || language === 'und' ? null : language,
  };
}

/** ffmpeg counts counter-clockwise, from -180 to 180. */
export function rotationIn(notes: string): number {
  const [, degrees] = /displaymatrix: rotation of (-?[\d.]+) degrees/u.exec(notes) ?? [];
  return degrees === undefined ? 0 : (((-Math.round(Number(degrees)) % 360) + 360) % 360) + 0;
}

interface Decoded {
  picture: Buffer;
  isInterlaced: boolean | null;
  /** Raw samples by track. */
  sound: Buffer[];
}

async function decode(
  media: Buffer,
  video: ListedStream | undefined,
  audio: readonly number[],
  options: PipedOptions,
): Promise<Decoded> {
  const scale = `showinfo,scale='min(${PICTURE_WIDTH},iw)':-2`;
  const picture =
    video === undefined
      ? []
      : ['-map', `0:${video.index}`, '-frames:v', '1', '-vf', scale, '-q:v', '4', '-f', 'mjpeg', 'pipe:1'];
  const sound = audio.flatMap((index, at) => [
    '-map',
    `0:${index}`,
    '-c:a',
    'pcm_f32le',
    '-f',
    'f32le',
    `pipe:${3 + at}`,
  ]);
  if (picture.length + sound.length === 0) return { picture: Buffer.alloc(0), isInterlaced: null, sound: [] };
  const args = ['-hide_banner', '-loglevel', 'info', '-nostats', '-f', 'nut', '-i', 'pipe:0', ...picture, ...sound];
  const results = await runPiped('ffmpeg', args, media, { ...options, fds: 3 + audio.length });
  const [, scan] = / i:([PTB]) /u.exec(results[2]!.toString('utf8')) ?? [];
  return {
    picture: results[1]!,
    isInterlaced: scan === undefined ? null : scan !== 'P',
    sound: results.slice(3),
  };
}

/** Padding is no caption: a field of 0x80 0x80, or 0 0 with it. */
async function captionsOf(media: Buffer, index: number, options: PipedOptions): Promise<string[]> {
  const args = [
    '-hide_banner',
    '-loglevel',
    'error',
    '-f',
    'nut',
    '-i',
    'pipe:0',
    ...captionOutput(['-map', `0:${index}`], 1),
  ];
  const [, stream] = await runPiped('ffmpeg', args, media, options);
  const seen = new Set<string>();
  for (const { pairs = Buffer.alloc(0) } of new CaptionReader().push(stream!))
    for (let at = 0; at + PAIR_BYTES <= pairs.length; at += PAIR_BYTES) {
      const isLine21 = pairs[at]! <= FIELD_2;
      const mask = isLine21 ? 0x7f : 0xff;
      if (((pairs[at + 1]! | pairs[at + 2]!) & mask) !== 0) seen.add(isLine21 ? '608' : '708');
    }
  return [...seen].sort();
}
