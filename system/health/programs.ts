/** The programs of a machine that encodes, from what its agent, or `onair doctor`, has probed. */
import type { Capabilities } from '../../domain/shapes/devices/device.ts';
import { failure, ok, warning, type Finding } from '../../domain/shapes/installation/finding.ts';

/** The first version with everything that the encoder and the packagers ask for. */
const OLDEST_FFMPEG = [5, 1] as const;
/** Without them an encoder, a player or a Destination of nearly every broadcast is missing. */
const NEEDED = ['video h264', 'audio mp4a', 'Publishing HLS / TS', 'Publishing RTMP', 'Channel File', 'Channel Stream'];

type Missing = Capabilities['missing'];

/** Findings about ffmpeg, what confines it, and what else is missing. `install` says how to get one. */
export function programs(
  { ffmpeg_version: version, missing }: Pick<Capabilities, 'ffmpeg_version' | 'missing'>,
  install: string,
): Finding<'ffmpeg' | 'features' | 'sandbox'>[] {
  if (version === null)
    return [failure('ffmpeg', 'No ffmpeg is found that runs.', `Install ${install}, or name one in ONAIR_FFMPEG.`)];
  if (/^\d/u.test(version) && isOlder(version, OLDEST_FFMPEG))
    return [failure('ffmpeg', `ffmpeg ${version} is older than ${OLDEST_FFMPEG.join('.')}.`, `Install ${install}.`)];
  const lacking = missing.filter(({ needs }) => !needs.startsWith('a build of this product'));
  const needed = lacking.filter(({ feature }) => NEEDED.includes(feature));
  if (needed.length > 0) return [failure('ffmpeg', `ffmpeg ${version} lacks ${listOf(needed)}.`, remedies(needed))];
  const protection = lacking.filter(({ feature }) => feature.startsWith('protection') || feature.includes('sandbox'));
  const rest = lacking.filter((each) => !protection.includes(each));
  return [
    ok('ffmpeg', `ffmpeg ${version}.`),
    ...(rest.length > 0
      ? [warning('features', `Not on this machine: ${listOf(rest)}.`, `Only if you need them: ${remedies(rest)}`)]
      : [ok('features', 'Every type of source and Destination can be used.')]),
    ...(protection.length > 0
      ? [warning('sandbox', 'ffmpeg is not confined to the files of its broadcast.', remedies(protection))]
      : []),
  ];
}

function listOf(features: Missing): string {
  return features.map(({ feature }) => feature).join(', ');
}

function remedies(features: Missing): string {
  return `Install ${[...new Set(features.map(({ needs }) => needs))].join('; ')}.`;
}

export function isOlder(version: string, [major, minor]: readonly [number, number]): boolean {
  const [its = 0, itsMinor = 0] = version.split('.').map(Number);
  return its < major || (its === major && itsMinor < minor);
}
