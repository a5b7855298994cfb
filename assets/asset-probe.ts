/** Finds the type of an uploaded file by its content. Its name and the sender's claims do not count. */
import { open, type FileHandle } from 'node:fs/promises';
import { AppError } from '../domain/base/errors.ts';
import type { AssetBucket } from '../domain/shapes/media/asset.ts';
import type { ReceivedAsset } from '../domain/ports/control.ts';
import { inputRules, MAX_PIXELS, tooLargePicture } from '../device/ffmpeg/input-rules.ts';
import { runMedia } from '../device/ffmpeg/run.ts';
import { INSTALL_FFMPEG } from '../device/features.ts';
import { ACCEPTED, CONTAINERS, typesOf } from './asset-types.ts';

export type Probed = Pick<ReceivedAsset, 'content_type' | 'duration_seconds' | 'width' | 'height'>;

/** A broken index may cost seconds of a slow disk; a longer probe is an attack or a fault. */
const PROBE_MS = 15_000;
/** It is wider than any broadcast; a larger picture would cost more memory than a runner has to spare (8192² × 4 = 256 MB). */
const MAX_PICTURE_SIDE = 8192;

export async function probeAsset(bucket: AssetBucket, path: string): Promise<Probed> {
  return bucket === 'logos' ? probePicture(path) : probeMedia(path);
}

/** Throws AppError unsupported_media when the name claims another kind of content than was found. */
export function assertNamedAsProbed(filename: string, contentType: string): void {
  const ending = /\.([^.]+)$/u.exec(filename.toLowerCase())?.[1] ?? '';
  const claimed = typesOf(ending);
  if (claimed === undefined || claimed.has(contentType)) return;
  throw unsupportedMedia(
    `The name ends in .${ending}, but the content is ${contentType}. Give the file the ending of its content.`,
  );
}

function unsupportedMedia(detail: string): AppError {
  return new AppError('unsupported_media', detail);
}

async function probePicture(path: string): Promise<Probed> {
  const file = await open(path, 'r');
  try {
    const start = await readAt(file, 0, 33);
    const png = pngSize(start);
    const size = png ?? (start.readUIntBE(0, 3) === 0xffd8ff ? await jpegSize(file) : undefined);
    if (size === undefined)
      throw unsupportedMedia('A logo must be a PNG or JPEG picture; this file is neither, or is damaged.');
    const { width, height } = size;
    if (width < 1 || height < 1 || width > MAX_PICTURE_SIDE || height > MAX_PICTURE_SIDE) {
      throw unsupportedMedia(`The picture is ${width}×${height} pixels; both sides must be 1 to ${MAX_PICTURE_SIDE}.`);
    }
    if (width * height > MAX_PIXELS) throw tooManyPixels(`${width}x${height}`);
    return { content_type: png === undefined ? 'image/jpeg' : 'image/png', duration_seconds: null, width, height };
  } finally {
    await file.close();
  }
}

/** A picture that would be refused on air is refused when it is stored. */
function tooManyPixels(size: string): AppError {
  return unsupportedMedia(`The picture is ${size} pixels, more than ${MAX_PIXELS / 1e6} million. Send a smaller one.`);
}

/** Zero bytes stand for those behind the end of the file. */
async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer;
}

interface Size {
  width: number;
  height: number;
}

/** PNG, third edition §5.2 and §11.2.1: the signature, then IHDR with the size. */
function pngSize(start: Buffer): Size | undefined {
  const isPng = start.subarray(0, 16).equals(Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'));
  return isPng ? { width: start.readUInt32BE(16), height: start.readUInt32BE(20) } : undefined;
}

/** JPEG (ITU-T T.81 §B.1.1.4): marker segments up to a start of frame, which has the size. Others are skipped without being read. */
async function jpegSize(file: FileHandle): Promise<Size | undefined> {
  let position = 2;
  // A picture has about ten segments before its frame, one with large metadata some hundred.
  for (let segments = 0; segments < 1000; segments += 1) {
    const head = await readAt(file, position, 9);
    const marker = head[1] ?? 0;
    if (head[0] !== 0xff) return undefined;
    if (marker === 0xff) {
      position += 1;
      continue;
    }
    // C0–CF are starts of frame, but for C4 (Huffman tables), C8 (reserved) and CC (arithmetic conditioning).
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { height: head.readUInt16BE(5), width: head.readUInt16BE(7) };
    }
    const length = head.readUInt16BE(2);
    // The marker is a start of scan or an end of image before any frame, it has no length, or an impossible one.
    if (marker === 0xda || (marker >= 0xd0 && marker <= 0xd9) || marker === 0x01 || length < 2) return undefined;
    position += 2 + length;
  }
  return undefined;
}

interface FfprobeAnswer {
  /** The lines that ffprobe wrote to stderr. */
  complaints: string;
  format?: { format_name?: string; duration?: string; tags?: Record<string, string> };
  streams?: ProbedStream[];
}

interface ProbedStream {
  codec_type?: string;
  codec_name?: string;
  width?: number;
  height?: number;
  disposition?: { attached_pic?: number };
  side_data_list?: { rotation?: number }[];
}

async function probeMedia(path: string): Promise<Probed> {
  const { format, streams = [], complaints } = await ffprobe(path);
  const names = format?.format_name?.split(',') ?? [];
  const container = names.find((name) => name in CONTAINERS);
  if (container === undefined)
    throw unsupportedMedia(`The file is no media file that can be played out. Send ${ACCEPTED}.`);
  // A cover picture in an audio file is no video.
  const video = streams.find((stream) => stream.codec_type === 'video' && stream.disposition?.attached_pic !== 1);
  const isDecodable =
    streams.some((stream) => stream.codec_type === 'audio' && stream.codec_name !== undefined) ||
    video?.codec_name !== undefined;
  if (!isDecodable) throw unsupportedMedia('The file has no audio and no video stream that can be decoded.');
  const size = video === undefined ? undefined : tooLargePicture(complaints);
  if (size !== undefined) throw tooManyPixels(size);
  const duration = Number(format?.duration);
  const { types, secondForm = types } = CONTAINERS[container]!;
  const isQuickTime = container === 'mov' && format?.tags?.['major_brand']?.trim() === 'qt';
  const isWebM = container === 'matroska' && (await isWebMFile(path));
  const [videoType, audioType] = isQuickTime || isWebM ? secondForm : types;
  const [width, height] = isTurned(video) ? [video?.height, video?.width] : [video?.width, video?.height];
  return {
    content_type: video === undefined ? audioType : videoType,
    duration_seconds: Number.isFinite(duration) && duration > 0 ? duration : null,
    width: width || null,
    height: height || null,
  };
}

/** A phone that was held upright writes its pictures lying, and by how much a player turns them. */
function isTurned(video: ProbedStream | undefined): boolean {
  return video?.side_data_list?.some(({ rotation }) => Math.abs(rotation ?? 0) % 180 === 90) === true;
}

/** ffprobe has one name for Matroska and WebM; the DocType element in the EBML header (RFC 8794 §11.2.6) tells them apart. */
async function isWebMFile(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    return (await readAt(file, 0, 64)).includes('\x42\x82\x84webm', 0, 'latin1');
  } finally {
    await file.close();
  }
}

async function ffprobe(path: string): Promise<FfprobeAnswer> {
  const args = [
    ...['-hide_banner', '-loglevel', 'error'],
    ...inputRules({ protocols: 'file', formats: Object.keys(CONTAINERS).join(',') }),
    ...['-print_format', 'json', '-show_format', '-show_streams', '-i', `file:${path}`],
  ];
  const { code, stdout, stderr, failure } = await runMedia('ffprobe', args, {
    limitMs: PROBE_MS,
    access: { reads: [path] },
  });
  if (code === 0) return { ...(JSON.parse(stdout) as FfprobeAnswer), complaints: stderr };
  if (failure?.code === 'ENOENT')
    throw new AppError('unavailable', `Media cannot be checked without ffprobe. Install ${INSTALL_FFMPEG}.`);
  // ffprobe's message names the temporary path: the last line without it says enough.
  const complaint = stderr.trim().split('\n').at(-1)?.replaceAll(`file:${path}`, 'the file').slice(0, 300);
  const extras = complaint === undefined || complaint === '' ? {} : { upstream: complaint };
  throw new AppError(
    'unsupported_media',
    `The file is no media file that can be played out. Send ${ACCEPTED}.`,
    extras,
  );
}
