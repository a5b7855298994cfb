/** The keys of an encrypted Destination in tests of the runner. */
import { contentKeyId } from '../../../domain/shapes/destinations/content-key-id.ts';
import type { OutputDrm, PeriodKeys } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { staticKeys } from '../../../integrations/static-keys.ts';

export const [PICTURE, SOUND] = [
  { track: 'VIDEO', kid: '10000000000000000000000000000001', key: '2b7e151628aed2a6abf7158809cf4f3c' },
  { track: 'AUDIO', kid: '20000000000000000000000000000002', key: '603deb1015ca71be2b73aef0857d7781' },
] as const;

export function drm(mode: 'cenc' | 'cbcs', systems: OutputDrm['systems']): OutputDrm {
  const keys = [PICTURE, SOUND].map((key) => ({ ...key, contentid: null, iv: null }));
  const credentials = { username: null, password: null, api_key: null, keys };
  const kids = { VIDEO: PICTURE.kid, AUDIO: SOUND.kid };
  const request = { contentid: 'show', kids, systems, encryption_mode: mode };
  return { ...staticKeys({ id: 1, name: 'Keys', credentials }, request), systems };
}

/** The keys of one period, as a STATIC provider makes them. */
export function periodKeys(
  index: number,
  periodMs: number,
  how: Pick<OutputDrm, 'systems' | 'encryption_mode'>,
): PeriodKeys {
  const period = { lengthMs: periodMs, index };
  const kids = { VIDEO: contentKeyId('show', 'VIDEO', period), AUDIO: contentKeyId('show', 'AUDIO', period) };
  const keys = [PICTURE, SOUND].map((key) => ({ ...key, contentid: null, iv: null }));
  const credentials = { username: null, password: null, api_key: null, keys };
  const made = staticKeys({ id: 1, name: 'Keys', credentials }, { contentid: 'show', kids, ...how, period: index });
  return { index, keys: made.keys, signals: made.signals };
}

/** Keys that are replaced every so many milliseconds, with those of the present period alone. */
export function rotating(mode: 'cenc' | 'cbcs', systems: OutputDrm['systems'], periodMs: number): OutputDrm {
  const how = { systems, encryption_mode: mode };
  const first = periodKeys(Math.floor(Date.now() / periodMs), periodMs, how);
  const source = { providerId: 1, contentid: 'show', tracks: ['VIDEO' as const, 'AUDIO' as const] };
  return { ...how, keys: first.keys, signals: first.signals, rotation: { periodMs, periods: [first], source } };
}
