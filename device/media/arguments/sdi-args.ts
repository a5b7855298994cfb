/**
 * SDI output. ffmpeg decodes the programme on its stdin to raw pictures and sound in Matroska; GStreamer reads them from a pipe and plays them
 * out by a DeckLink card. ffmpeg's own decklink is in no distribution, for its licence.
 */
import { copyInputArgs, PROGRESS } from './publisher-args.ts';
import { rateArgument, type FrameRate } from '../ladder/frame-rate.ts';

export interface SdiFormat {
  width: number;
  height: number;
  rate: FrameRate;
}

/** A mode of a card, as decklinkvideosink calls it, and the pictures a second that it carries. */
interface SdiMode {
  mode: string;
  rate: string;
  /** Pictures of this mode in words of GStreamer, beside their size and rate. */
  caps: string;
}

const [P23, P29, P59] = ['24000/1001', '30000/1001', '60000/1001'];
/** Rates as the names of modes have them. */
const RATE_NAMES: Readonly<Record<string, string>> = {
  [P23]: '2398',
  24: '24',
  25: '25',
  [P29]: '2997',
  30: '30',
  50: '50',
  [P59]: '5994',
  60: '60',
};
/** decklinkvideosink takes pictures of a size by one name of colours, whatever they have: it hands the bytes on as they are. */
const UHD = 'interlace-mode=progressive,pixel-aspect-ratio=1/1,colorimetry=bt2020,chroma-site=mpeg2';
const HD = 'interlace-mode=progressive,pixel-aspect-ratio=1/1,colorimetry=bt709,chroma-site=mpeg2';
const SD = 'interlace-mode=interleaved,colorimetry=bt601,chroma-site=mpeg2';

/** Sizes that have a mode at each rate (SMPTE ST 274, ST 2048-2, ST 2036-1). */
const ALL_RATES: Readonly<Record<string, string>> = {
  '1920x1080': '1080p',
  '2048x1080': '2kdcip',
  '3840x2160': '2160p',
};

/** With 720 lines there are fast modes alone (ST 296 as cards have it): slower pictures are repeated, 24 by twos and threes. */
const FAST: Readonly<Record<string, string>> = { [P23]: P59, 24: '60', 25: '50', [P29]: P59, 30: '60' };

/** ST 259: pictures whose fields are of one instant. */
const STANDARD: Readonly<Record<string, SdiMode>> = {
  '720x576 25': { mode: 'pal', rate: '25', caps: `${SD},pixel-aspect-ratio=12/11` },
  [`720x486 ${P29}`]: { mode: 'ntsc', rate: P29, caps: `${SD},pixel-aspect-ratio=10/11` },
};

function modeOf(format: SdiFormat): SdiMode | undefined {
  const { width, height, rate } = format;
  const [size, own] = [`${width}x${height}`, rateArgument(rate)];
  const played = size === '1280x720' ? (FAST[own] ?? own) : own;
  const name = size === '1280x720' ? '720p' : ALL_RATES[size];
  const of = RATE_NAMES[played];
  if (name === undefined) return STANDARD[`${size} ${own}`];
  return of === undefined ? undefined : { mode: `${name}${of}`, rate: played, caps: format.height === 2160 ? UHD : HD };
}

/** Says why frames of this format cannot be played out; undefined when they can. */
export function sdiIssue(format: SdiFormat): string | undefined {
  if (modeOf(format) !== undefined) return undefined;
  const { width, height, rate } = format;
  return `SDI carries no ${width}x${height} with ${rateArgument(rate)} pictures a second; use 1920x1080 or 1280x720 with 25, 30, 50 or 60, 720x576 with 25, or 720x486 with 30000/1001`;
}

/** Embedded sound has 2, 8 or 16 channels: a stereo pair, or each channel of 5.1 and 7.1 in one of its own. */
export function cardChannels(channels: number): number {
  return channels <= 2 ? 2 : 8;
}

/** `channels` are those of the sound; 0: there is none. The format is one without an issue. */
export function sdiArgs(format: SdiFormat, channels: number): string[] {
  const { rate } = modeOf(format)!;
  const taken = Array.from({ length: cardChannels(channels) }, (_, i) => (i < channels ? `c${i}=c${i}` : `c${i}=0*c0`));
  const sound = channels <= 2 ? ['-ac', '2'] : ['-af', `pan=${taken.length}c|${taken.join('|')}`];
  return [
    ...copyInputArgs,
    ...[
      '-map',
      '0:v:0',
      '-vf',
      `fps=${rate},scale=${format.width}:${format.height},format=uyvy422`,
      '-c:v',
      'rawvideo',
    ],
    ...(channels > 0 ? ['-map', '0:a:0', '-c:a', 'pcm_s16le', '-ar', '48000', ...sound] : []),
    ...['-f', 'matroska', '-live', '1', '-cluster_time_limit', '0', '-flush_packets', '1', ...PROGRESS, 'pipe:1'],
  ];
}

/** Frames wait so long for their time at the card, against those that come late. */
const AHEAD_NS = 500_000_000;
const WAITING = ['queue', 'max-size-buffers=0', 'max-size-bytes=0', `max-size-time=${2 * AHEAD_NS}`];

/**
 * The words of gst-launch-1.0 that play what sdiArgs gives on its stdin out by one output of the card, 0 being the first. The clock of the
 * machine leads, by which the programme is timed: the elements of the card follow it, so that nothing piles up in a day.
 */
export function playerPipeline(format: SdiFormat, channels: number, output: number): string[] {
  const { mode, caps } = modeOf(format)!;
  const card = [`device-number=${output}`, `ts-offset=${AHEAD_NS}`];
  const picture = [
    ...['d.video_0', '!', ...WAITING, '!', 'capssetter', `caps=video/x-raw,${caps}`, '!'],
    // It says once a second what the sink has shown.
    ...['progressreport', 'update-freq=1', '!', 'decklinkvideosink', `mode=${mode}`, ...card],
  ];
  const form = `audio/x-raw,format=S16LE,rate=48000,channels=${cardChannels(channels)}`;
  const sound = ['d.audio_0', '!', ...WAITING, '!', 'capssetter', `caps=${form}`, '!', 'decklinkaudiosink', ...card];
  const all = ['fdsrc', 'fd=0', '!', 'matroskademux', 'name=d', ...picture, ...(channels > 0 ? sound : [])];
  return ['clockselect.', '(', 'clock-id=monotonic', ...all, ')'];
}

/** Seconds that have been shown, of a line of gst-launch-1.0; undefined where it says nothing of them. */
export function shownSeconds(line: string): number | undefined {
  const seconds = /^progressreport\d* \([\d:]+\): (\d+) seconds/u.exec(line)?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}
