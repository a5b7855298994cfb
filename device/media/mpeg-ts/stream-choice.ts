/** Chooses the streams of a programme that a copy takes, as ffmpeg's -map would: the first picture, and sound by its number. */
import { MPEG2, H264, HEVC } from '../codecs/sei.ts';
import type { ElementaryStream } from './psi.ts';
import { CUE_STREAM_TYPE } from './ts-metadata.ts';

/** The streams of a copy, by the PIDs under which they go on. */
export interface WantedStreams {
  /** Number of the programme; undefined for a source that has one. */
  program: number | undefined;
  picture: number | undefined;
  /** `number` counts the sounds of the programme from 0. */
  sounds: readonly { pid: number; number: number; language: string }[];
}

export interface ChosenStream {
  /** Its PID in the source. */
  from: number;
  isPicture: boolean;
  /** As it goes on. */
  to: ElementaryStream;
}

export interface StreamChoice {
  streams: ChosenStream[];
  /** PID of the first stream of cues. */
  cues: number | undefined;
  /** Numbers of the sounds that the programme lacks. */
  lacking: number[];
  /** Why it cannot be read here, half a sentence. */
  unfit?: string;
}

const PRIVATE = 0x06;
/** stream_type of AC-3 as ffmpeg's muxer writes it. */
export const AC3 = 0x81;
const PICTURES = [MPEG2, H264, HEVC] as number[];
/** MPEG-1, MPEG-4, VVC, AVS, Dirac, VC-1 and others. */
const OTHER_PICTURES = [0x01, 0x10, 0x1f, 0x20, 0x21, 0x33, 0x42, 0xd1, 0xd2, 0xd4, 0xea];
/** ADTS and MPEG audio. */
const SOUNDS = [0x03, 0x04, 0x0f, AC3];
/** LATM, DTS, E-AC-3, TrueHD, PCM and others. */
const OTHER_SOUNDS = [0x11, 0x1c, 0x2d, 0x80, 0x82, 0x83, 0x84, 0x85, 0x87, 0x88, 0x8a];
/** descriptor_tag of what private data holds: ETSI EN 300 468 §6.2, ISO/IEC 13818-1 §2.6.18. */
const [DVB_AC3, LANGUAGE] = [0x6a, 0x0a];
/** E-AC-3, DTS, AAC, and those of the extension. */
const DVB_SOUNDS = [0x7a, 0x7b, 0x7c, 0x7f];
/** Names in a registration_descriptor (§2.6.8). */
const NAMED_SOUNDS = ['EAC3', 'Opus', 'BSSD', 'DTS1', 'DTS2', 'DTS3', 'AC-4'];
const NAMED_PICTURES = ['HEVC', 'VC-1', 'drac', 'AV01'];
const AC3_REGISTRATION = Buffer.from('050441432d33', 'hex');

type Kind = 'picture' | 'sound' | 'unknown' | 'other';

export function chooseStreams(program: readonly ElementaryStream[], wanted: WantedStreams): StreamChoice {
  const known = program.map((stream) => ({ stream, ...kindOf(stream) }));
  const choice: StreamChoice = {
    streams: [],
    cues: program.find(({ type }) => type === CUE_STREAM_TYPE)?.pid,
    lacking: [],
  };
  const sounds = known.filter(({ kind }) => kind === 'sound');
  const picture = wanted.picture === undefined ? undefined : known.find(({ kind }) => kind === 'picture');
  if (picture !== undefined)
    choice.streams.push({
      from: picture.stream.pid,
      isPicture: true,
      to: { pid: wanted.picture!, type: picture.type ?? 0, descriptors: Buffer.alloc(0) },
    });
  for (const { pid, number, language } of wanted.sounds) {
    const found = sounds[number];
    if (found === undefined) choice.lacking.push(number);
    else
      choice.streams.push({
        from: found.stream.pid,
        isPicture: false,
        to: { pid, type: found.type ?? 0, descriptors: soundDescriptors(found.type, language) },
      });
  }
  const strange = choice.streams.find(({ to }) => to.type === 0);
  const isUnknown = choice.lacking.length > 0 && known.some(({ kind }) => kind === 'unknown');
  if (strange !== undefined) choice.unfit = `its ${strange.isPicture ? 'picture' : 'sound'} is of another codec`;
  else if (isUnknown) choice.unfit = 'one of its streams does not say what it is';
  return choice;
}

/** `type` is left out for a codec that is not carried here. */
function kindOf({ type, descriptors }: ElementaryStream): { kind: Kind; type?: number } {
  if (PICTURES.includes(type)) return { kind: 'picture', type };
  if (OTHER_PICTURES.includes(type)) return { kind: 'picture' };
  if (SOUNDS.includes(type)) return { kind: 'sound', type };
  if (OTHER_SOUNDS.includes(type)) return { kind: 'sound' };
  if (type !== PRIVATE) return { kind: 'other' };
  const tags = tagsOf(descriptors);
  if (tags.includes(DVB_AC3) || descriptors.includes(AC3_REGISTRATION)) return { kind: 'sound', type: AC3 };
  const isNamed = (names: readonly string[]): boolean => names.some((name) => descriptors.includes(name, 0, 'latin1'));
  if (tags.some((tag) => DVB_SOUNDS.includes(tag)) || isNamed(NAMED_SOUNDS)) return { kind: 'sound' };
  if (isNamed(NAMED_PICTURES)) return { kind: 'picture' };
  return { kind: tags.length === 0 ? 'unknown' : 'other' };
}

function tagsOf(descriptors: Buffer): number[] {
  const tags: number[] = [];
  for (let at = 0; at + 2 <= descriptors.length; at += 2 + descriptors[at + 1]!) tags.push(descriptors[at]!);
  return tags;
}

/** As ffmpeg's muxer writes them. */
function soundDescriptors(type: number | undefined, language: string): Buffer {
  const label = Buffer.concat([Buffer.from([LANGUAGE, 4]), Buffer.from(language, 'latin1'), Buffer.from([0])]);
  return type === AC3 ? Buffer.concat([AC3_REGISTRATION, label]) : label;
}
