/** The inputs that every ffmpeg and ffprobe may have: protocols, formats and the largest frame. */
import { availableParallelism } from 'node:os';

/** It is a little more than 8K UHD (33.2 million). A PNG of 3 MB can have 256 million pixels, which took 2 GB to decode. */
export const MAX_PIXELS = 36_000_000;
/**
 * Each thread of a decoder has frames of its own. The number is ffmpeg's own choice on a machine of up to 7 cores (one more than there
 * are); eight decode 2160p60, and more would only take memory and delay.
 */
export const DECODER_THREADS = Math.min(availableParallelism() + 1, 8);

/** Containers that have their media in themselves. Playlists, which name other files or addresses, and texts are not in the list. */
export const CONTAINERS = 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,mpegts,mpeg,flv,avi,mxf,ogg,wav,aiff,mp3,aac,flac';

/**
 * Formats that an address may answer with: containers, HLS and the formats of its segments, elementary streams of encoders, and images of
 * cameras. ffmpeg chooses a format by content or by the ending of an address, and its demuxers for text would show any answer of an inner
 * service as a picture.
 */
export const WEB_FORMATS = `hls,webvtt,${CONTAINERS},live_flv,asf,nut,ac3,eac3,h264,hevc,mpjpeg`;

/** Formats of datagrams, and of streams without an ending or a playlist. */
export const LIVE_FORMATS = `${CONTAINERS},live_flv`;

export interface InputRules {
  /** Names as ffmpeg has them, separated by commas. */
  protocols: string;
  formats: string;
}

export function inputRules({ protocols, formats }: InputRules): string[] {
  return ['-protocol_whitelist', protocols, '-format_whitelist', formats];
}

/**
 * Adds to each input the bounds of its frame and its threads, and for a pipe with a given format the rule that it is nothing else. Throws
 * Error for an input that is neither such a pipe nor names what it may be: nothing is opened by guess.
 */
export function withInputRules(args: readonly string[]): string[] {
  let from = 0;
  return args.flatMap((arg, at) => {
    if (arg !== '-i') return [arg];
    const inputArgs = args.slice(from, at);
    from = at + 2;
    return [...missingRules(inputArgs, args[at + 1] ?? ''), arg];
  });
}

function missingRules(inputArgs: readonly string[], address: string): string[] {
  const formatAt = inputArgs.lastIndexOf('-f');
  const format = formatAt < 0 ? undefined : inputArgs[formatAt + 1];
  const bounds = ['-max_pixels', String(MAX_PIXELS), ...(inputArgs.includes('-threads') ? [] : decoderThreads())];
  if (inputArgs.includes('-protocol_whitelist') && inputArgs.includes('-format_whitelist')) return bounds;
  if (format === undefined || !/^pipe:\d+$/u.test(address))
    throw new Error(`An input of ffmpeg names neither protocols nor formats that it may have: ${inputArgs.join(' ')}`);
  return [...inputRules({ protocols: 'pipe', formats: format }), ...bounds];
}

function decoderThreads(): string[] {
  return ['-threads', String(DECODER_THREADS)];
}

/** A sentence for a person about an input that the rules above have ended; undefined when ffmpeg failed for another reason. */
export function refusalByRules(words: string): string | undefined {
  if (words.includes('Format not on whitelist'))
    return 'The source is a text, a picture or a list, and no media that may be taken in. Give the address or the file of a stream: HLS, MPEG-TS, FLV, MP4, WebM or sound.';
  if (hasNoMemoryForFrames(words))
    return 'The pictures of the source take more memory than an ingest may have. Give one with smaller pictures, or of 8 or 10 bits.';
  const size = tooLargePicture(words);
  if (size === undefined) return undefined;
  return `The source has pictures of ${size} pixels, more than ${MAX_PIXELS / 1e6} million. Give one with smaller pictures.`;
}

/** A damaged stream fails to allocate as well, but not for its frames. */
function hasNoMemoryForFrames(words: string): boolean {
  return /get_buffer\(\) failed/u.test(words) && /Cannot allocate memory|Resource temporarily unavailable/u.test(words);
}

/** The size of a frame that was too large for the decoder, as `5760x6000`; undefined when that was not the reason. */
export function tooLargePicture(words: string): string | undefined {
  return /Picture size (\d+x\d+) exceeds specified max pixel count/u.exec(words)?.[1];
}
