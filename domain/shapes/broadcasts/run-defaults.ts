import { failoverField } from './failover.ts';
import type { RunSpec } from './run-spec.ts';
import { detectField, soundField } from './sound.ts';

/** Defaults of a running encoder; specs of earlier versions lack these fields. */
export const RUN_SPEC_DEFAULTS: Pick<
  RunSpec,
  'crop' | 'captions' | 'scteMarkers' | 'picture' | 'adValues' | 'timezone' | 'failover' | 'sound' | 'detect'
> = {
  sound: soundField.parse({}),
  detect: detectField.parse({}),
  captions: { webvtt: true },
  failover: failoverField.parse({}),
  crop: null,
  scteMarkers: false,
  picture: { logo: null, text: null, blackout: { mode: 'Live', file: null, keepAudio: false } },
  adValues: { default_ad_duration: null, max_ad_duration: null, next_ad_duration: null },
  timezone: 'UTC',
};
