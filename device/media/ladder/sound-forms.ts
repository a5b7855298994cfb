/**
 * The forms in which tracks go to the encoder. What has its own number of channels, or its own ceiling, is mixed and limited by itself: a sum
 * of limited channels may be twice as high.
 */
import { ceilingOf } from '../../../domain/rules/encodings/rendition-rules.ts';
import type { AudioSettings } from '../../../domain/shapes/encodings/encoding.ts';
import type { TrackPlan } from './track-plan.ts';

export interface SoundForm {
  track: TrackPlan;
  channels: number;
  /** dBTP that the sound has at most before the codec. */
  ceilingDb: number;
  /** Number of its first channel among those that the encoder gets. */
  offset: number;
}

/** Returns the form of a stream, which joins `forms` when it is a new one. */
export function formOf(forms: SoundForm[], settings: AudioSettings, track: TrackPlan): SoundForm {
  const ceilingDb = ceilingOf(settings);
  const own = Math.min(settings.channels, track.channels);
  const known = forms.find((form) => {
    return form.track === track && form.channels === own && form.ceilingDb === ceilingDb;
  });
  if (known !== undefined) return known;
  const form = { track, channels: own, ceilingDb, offset: channelsOf(forms) };
  forms.push(form);
  return form;
}

export function channelsOf(forms: readonly SoundForm[]): number {
  return forms.reduce((sum, { channels }) => sum + channels, 0);
}
