/**
 * Arguments of SDI output by ffmpeg's decklink: the programme on stdin is decoded and played out by the card's clock. No ffmpeg of a
 * distribution has decklink, for its licence; where it is absent the type is refused by name.
 */
import { QUIET } from './encoder-args.ts';
import { copyInputArgs, PROGRESS } from './publisher-args.ts';
import { rateArgument, type FrameRate } from '../ladder/frame-rate.ts';

export interface SdiFormat {
  width: number;
  height: number;
  rate: FrameRate;
}

/** An SDI link carries frames of these sizes (SMPTE ST 274, ST 296, ST 259; ST 2036-1 for 2160 lines). */
const SIZES = ['1280x720', '1920x1080', '2048x1080', '3840x2160', '720x576', '720x486'];
const RATES = ['24000/1001', '24', '25', '30000/1001', '30', '50', '60000/1001', '60'];

/** Says why frames of this format cannot be played out; undefined when they can. */
export function sdiIssue({ width, height, rate }: SdiFormat): string | undefined {
  if (!SIZES.includes(`${width}x${height}`)) return `SDI carries no ${width}x${height}; use 1920x1080 or 1280x720`;
  if (!RATES.includes(rateArgument(rate)))
    return `SDI carries no ${rateArgument(rate)} pictures a second; use 25, 30, 50 or 60`;
  return undefined;
}

/** `card` is its name in the list of `ffmpeg -sinks decklink`. */
export function sdiArgs({ width, height, rate }: SdiFormat, hasAudio: boolean, card: string): string[] {
  return [
    ...copyInputArgs,
    ...['-map', '0:v:0', '-vf', `fps=${rateArgument(rate)},scale=${width}:${height},format=uyvy422`],
    ...['-c:v', 'wrapped_avframe'],
    ...(hasAudio ? ['-map', '0:a:0', '-c:a', 'pcm_s16le', '-ar', '48000', '-ac', '2'] : []),
    // The card holds half a second of frames before it starts, against a late one.
    ...['-f', 'decklink', '-preroll', '0.5', ...PROGRESS, card],
  ];
}

/** Lists the outputs of this machine on stdout; an ffmpeg without decklink lists none. */
export const SINKS_ARGS = [...QUIET, '-sinks', 'decklink'];

/** Reads the names by which ffmpeg opens the outputs, in its order: `  81:12345678:00000000 [DeckLink Mini Monitor] (none)`. */
export function parseSinks(text: string): string[] {
  return text.split('\n').flatMap((line) => /^[ *] .+? \[(.+)\](?: \([^()]*\))?$/u.exec(line)?.[1] ?? []);
}

export const NO_SDI = 'This Device has no SDI output: it needs a DeckLink card and ffmpeg with decklink.';

/** Turns ffmpeg's words about a card into plainer ones; undefined when they are not known. */
export function sdiReason(stderr: string): string | undefined {
  if (/not a suitable output format|Unknown output format/u.test(stderr)) return NO_SDI;
  if (
    /Could not (?:open|find) .*|Cannot enable video output|device .* busy/iu.test(stderr) &&
    /decklink/iu.test(stderr)
  )
    return 'The SDI output cannot be opened; it is in use, or the card does not play out this format.';
  return undefined;
}
