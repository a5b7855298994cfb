/** Media on ffmpeg's stdin: of a pushed source in one of three containers, and of a feeder. */
import { inputRules } from '../../ffmpeg/input-rules.ts';
import type { PushedSource } from '../../../domain/types/channel-row.ts';
import { LIVE_PROBE, NO_MORE_PROGRAMS, type IngestInput } from './ingest-args.ts';
import type { InputFeeder, PushedForm } from './input-feed.ts';

const DEMUXERS: Readonly<Record<PushedForm, string[]>> = {
  // Of both FLV demuxers this one follows a clock that begins anew.
  flv: ['-f', 'live_flv'],
  matroska: ['-f', 'matroska'],
  mpegts: [...NO_MORE_PROGRAMS, '-f', 'mpegts'],
};
const EBML = Buffer.from([0x1a, 0x45, 0xdf, 0xa3]);

/** Tells the form by the first bytes of a reader, which come at once. */
export function formOf(bytes: Buffer): PushedForm {
  if (bytes.toString('latin1', 0, 3) === 'FLV') return 'flv';
  return bytes.subarray(0, EBML.length).equals(EBML) ? 'matroska' : 'mpegts';
}

/** The form that most pushers of the protocol have. */
export function usualForm({ protocol }: Pick<PushedSource, 'protocol'>): PushedForm {
  return protocol === 'srt' ? 'mpegts' : 'flv';
}

/** The push process has let the pusher in and gives its media to stdin (device/push/). */
export function pushedInput(form: PushedForm): IngestInput {
  return {
    args: [...LIVE_PROBE, ...DEMUXERS[form], '-i', 'pipe:0'],
    list: undefined,
    form,
    readsStdin: true,
    hasBurst: true,
    beginsAnew: true,
    listens: { againMs: 100 },
  };
}

/** For a look that is over soon: ffmpeg finds out itself which of the forms of the protocol it is. */
export function pushedLook({ protocol }: Pick<PushedSource, 'protocol'>): string[] {
  if (protocol === 'srt') return ['-f', 'mpegts', '-i', 'pipe:0'];
  return [...inputRules({ protocols: 'pipe', formats: 'flv,matroska' }), '-i', 'pipe:0'];
}

/** The feeder gives Matroska with all that ffmpeg would look for in its head, and pictures of several megabytes. */
export function feederInput(feeder: InputFeeder): IngestInput {
  return {
    args: [...LIVE_PROBE, '-f', 'matroska', '-i', 'pipe:0'],
    list: undefined,
    feeder,
    relay: feeder,
    comesLive: true,
    goesOn: true,
  };
}
