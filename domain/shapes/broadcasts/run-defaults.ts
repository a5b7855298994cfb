import { SETTINGS_AT_START } from '../changes/change-questions.ts';
import type { SettingKind } from '../changes/changes.ts';
import { failoverField } from './failover.ts';
import type { RunSpec } from './run-spec.ts';
import { detectField, soundField } from './sound.ts';

/** Defaults of a running encoder; specs of earlier versions lack these fields. */
export const RUN_SPEC_DEFAULTS: Pick<
  RunSpec,
  'crop' | 'captions' | 'scteMarkers' | 'picture' | 'timezone' | 'failover' | 'sound' | 'detect' | SettingKind
> = {
  ...SETTINGS_AT_START,
  sound: soundField.parse({}),
  detect: detectField.parse({}),
  captions: { webvtt: true },
  failover: failoverField.parse({}),
  crop: null,
  scteMarkers: false,
  picture: { logo: null, text: null, blackout: { mode: 'Live', file: null, keepAudio: false } },
  timezone: 'UTC',
};
