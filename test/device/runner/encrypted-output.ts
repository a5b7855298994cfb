/** The keys of an encrypted Destination in tests of the runner. */
import type { OutputDrm } from '../../../domain/shapes/broadcasts/run-spec.ts';
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
