/** Writes the events of the source. */
import type { Light } from '../../../domain/shapes/encodings/light.ts';
import type { FailoverCause } from '../../../domain/shapes/broadcasts/failover.ts';
import type { FallbackSpec, SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { hdrOf, type SourceFacts } from '../../media/ffmpeg-output/source-facts.ts';
import { AppError } from '../../../domain/base/errors.ts';
import { ended } from '../../../domain/base/sentence.ts';
import type { SourceTrouble } from '../../media/ffmpeg-output/source-reason.ts';
import type { SoundForm } from '../../media/ffmpeg-output/sound-begin.ts';
import type { PictureFormat } from '../input/source-format.ts';
import type { CopiedFormat } from '../stream/copied-format.ts';
import type { EventLog } from '../process/event-log.ts';

/** The words for what viewers get while the source is lost. */
export const FALLBACK_WORDS = { slate: 'the slate', file: 'the fallback file', none: 'the last picture' } as const;

function round(seconds: number): number {
  return Number(seconds.toFixed(3));
}

export interface Loss {
  source: SourceSpec;
  fallback: FallbackSpec;
  copy: boolean;
  reason: string | undefined;
  /** Instant of its last picture, which viewers see until it is given up; null: there was none. */
  since: string | null;
}

export function reportLost(events: EventLog, { source, fallback, copy, reason, since }: Loss): void {
  const { name, channelId } = source;
  const substitute = copy ? 'nothing: copied video has no fallback' : FALLBACK_WORDS[fallback.mode];
  const message = `Channel "${name}" gives no more pictures; viewers see ${substitute}.`;
  const data = { channelId, fallback: fallback.mode, reason: reason ?? null, since, ...(copy && { copied: true }) };
  events.add('source_lost', 'warning', message, data);
}

/** A source that has given nothing yet is asked again every other second: each reason is an event once. */
export function missingReporter(events: EventLog): (source: SourceSpec, trouble: SourceTrouble) => void {
  const reasons = new Set<string>();
  return ({ name, channelId }, { message, publicMessage: reason }) => {
    if (reasons.has(message)) return;
    reasons.add(message);
    events.add('source_lost', 'warning', `Channel "${name}" gives nothing yet: ${ended(reason)}`, {
      channelId,
      reason,
    });
  };
}

export function reportRestored(events: EventLog, { name, channelId }: SourceSpec, seconds: number): void {
  const message = `Channel "${name}" is back after ${seconds.toFixed(1)} s.`;
  events.add('source_restored', 'info', message, { channelId, seconds: round(seconds) });
}

export function reportFailover(
  events: EventLog,
  from: SourceSpec,
  to: SourceSpec,
  reason: FailoverCause | 'returned',
): void {
  const why = { loss: 'gives nothing', black: 'is black', frozen: 'stands still', silent: 'is silent' };
  const message =
    reason === 'returned'
      ? `Channel "${to.name}" is good again and on air; Channel "${from.name}" waits.`
      : `Channel "${from.name}" ${why[reason]}; Channel "${to.name}" is on air in its place.`;
  const severity = reason === 'returned' ? 'info' : 'warning';
  events.add('failover', severity, message, { reason, from: from.channelId, to: to.channelId });
}

export function reportStandstill(events: EventLog, seconds: number): void {
  const message = `The encoder's machine stood still for ${seconds.toFixed(1)} s; the stream goes on that much later.`;
  events.add('encoder_stalled', 'warning', message, { standstillSeconds: round(seconds) });
}

/** Returns the sentence of the event. */
export function reportSwitch(
  events: EventLog,
  from: SourceSpec,
  to: SourceSpec,
  seconds: number,
  by: string | undefined,
): string {
  const message = `Channel "${to.name}" took the place of "${from.name}" after ${seconds.toFixed(1)} s.`;
  const data = { from: from.channelId, to: to.channelId, seconds: round(seconds) };
  const who = by === undefined ? {} : { user: by };
  events.add('source_switched', 'info', by === undefined ? message : `${by}: ${message}`, { ...data, ...who });
  return message;
}

/** Reports the dynamic range of a source when it has changed, and not for a source that begins in SDR. `light` is that of the programme. */
export function rangeReporter(
  events: EventLog,
  { name, channelId }: SourceSpec,
  light: Light,
): (facts: SourceFacts, toneMapped: boolean) => void {
  let known = 'SDR';
  return ({ video }, canConvert) => {
    const range = hdrOf(video) ?? 'SDR';
    if (range === known) return;
    known = range;
    const data = { channelId, range, toneMapped: range !== 'SDR' && light === 'sdr' && canConvert };
    const report = (severity: 'info' | 'warning', what: string): void =>
      void events.add('source_format_changed', severity, `Channel "${name}" gives ${what}`, data);
    if (range === 'SDR') report('info', 'pictures in SDR now.');
    else if (light !== 'sdr') {
      const isSame = range.toLowerCase() === light;
      report(
        'info',
        `HDR pictures (${range}); ${isSame ? 'they stay what they are' : `they are converted to ${light.toUpperCase()}`}.`,
      );
    } else if (canConvert) report('info', `HDR pictures (${range}); they are tone-mapped to SDR.`);
    else {
      const remedy = 'the ffmpeg of this Device has no zscale filter. Install one that is built with libzimg.';
      report('warning', `HDR pictures (${range}), and viewers see wrong colours: ${remedy}`);
    }
  };
}

/** Outputs that are encoded keep their form. */
export function reportFormat<T extends PictureFormat | CopiedFormat>(
  events: EventLog,
  { name, channelId }: SourceSpec,
  from: T,
  to: T,
): void {
  const what = 'audio' in to ? 'every output begins anew with that' : 'what viewers get keeps its size and rate';
  const message = `Channel "${name}" gives ${wordsOf(to)} now, in place of ${wordsOf(from)}; ${what}.`;
  events.add('source_format_changed', 'info', message, { channelId, from, to });
}

function wordsOf(format: PictureFormat | CopiedFormat): string {
  if ('audio' in format) return codedWords(format);
  const { width, height, fps, interlaced, rotation } = format;
  const turned = rotation === 0 ? '' : `, turned by ${rotation}°`;
  return `${width}x${height} at ${fps} pictures a second${interlaced ? ', interlaced' : ''}${turned}`;
}

function codedWords({ codec, width, height, audio }: CopiedFormat): string {
  const picture = codec === undefined ? [] : [`${codec} of ${width}x${height}`];
  const sounds = audio.map(({ codec: sound, channels, sample_rate: rate }) => {
    const places = ['mono', 'stereo'][channels - 1] ?? `${channels} channels`;
    return `${sound} of ${rate} Hz, ${places}`;
  });
  return [...picture, ...sounds].join(' and ');
}

/** `stream` is the number of an audio track, undefined where the programme has one, and -1 for the picture. */
export function reportStream(
  events: EventLog,
  { name, channelId }: SourceSpec,
  stream: number | undefined,
  change: 'begun' | 'ended' | 'moved' | 'coded',
): void {
  const what = stream === -1 ? 'picture' : stream === undefined ? 'sound' : `sound in audio track ${stream}`;
  const rest = stream === -1 ? 'viewers hear its sound beside the slate' : 'viewers hear silence there';
  const words = {
    begun: `gives ${what === 'picture' ? 'a picture' : what} now.`,
    ended: `gives no ${what} any more; ${rest} until it is back.`,
    moved: `gives its ${what} in another stream now, and is taken from there.`,
    coded: `codes its ${what} in another way now, and is read anew.`,
  };
  const kind = stream === -1 ? 'picture' : 'sound';
  const data = { channelId, stream: kind, change, ...(what !== kind && { track: stream }) };
  const severity = change === 'ended' ? 'warning' : 'info';
  events.add('source_format_changed', severity, `Channel "${name}" ${words[change]}`, data);
}

/** The outputs keep their form. */
export function reportSoundForm(
  events: EventLog,
  { name, channelId }: SourceSpec,
  from: SoundForm,
  to: SoundForm,
): void {
  const wordsFor = ({ sample_rate, channels }: SoundForm): string =>
    `${channels} ${channels === 1 ? 'channel' : 'channels'} at ${sample_rate} Hz`;
  const message = `Channel "${name}" gives sound of ${wordsFor(to)} now, in place of ${wordsFor(from)}; what viewers get keeps its form.`;
  events.add('source_format_changed', 'info', message, { channelId, sound: { from, to } });
}

export function reportMissingTracks(events: EventLog, { name, channelId }: SourceSpec, tracks: number[]): void {
  const which = tracks.length === 1 ? `audio track ${tracks[0]}; it is` : `audio tracks ${tracks.join(', ')}; they are`;
  const message = `Channel "${name}" has no ${which} silent until another connection has sound there.`;
  events.add('source_format_changed', 'warning', message, { channelId, missingTracks: tracks });
}

export function notSwitched(stays: SourceSpec, refused: SourceSpec, { message, upstream }: SourceTrouble): AppError {
  const detail = `Channel "${refused.name}" gives no pictures: ${ended(message)} Channel "${stays.name}" stays.`;
  const remedy = 'Check the source that was to be switched to, then try again.';
  return new AppError('upstream_failed', detail, { remedy, ...(upstream !== undefined && { upstream }) });
}
