/** Keys that this service has itself, for tests and ClearKey. */
import { createHmac } from 'node:crypto';
import type { DrmCredentials, DrmProvider, DrmSystem, KeyTrack } from '../domain/shapes/destinations/drm-provider.ts';
import { ruleViolated } from '../domain/base/errors.ts';
import type { ContentKeys, DrmSignal, KeyRequest } from '../domain/shapes/installation/integrations.ts';
import { called } from '../domain/base/sentence.ts';
import { tracksOf } from './cpix.ts';
import { playreadyPssh, widevinePssh } from './pssh.ts';

type StaticKey = DrmCredentials['keys'][number];

/**
 * The keys of the content, or those for any content; a track without a key of its own gets that of all tracks. Throws AppError
 * rule_violated when there is none.
 */
export function staticKeys(
  { id, name, credentials }: Pick<DrmProvider, 'id' | 'name' | 'credentials'>,
  { contentid, kids, systems, encryption_mode: mode, period }: KeyRequest,
): ContentKeys {
  const stored = credentials?.keys ?? [];
  const ofContent = stored.filter((key) => key.contentid === contentid);
  const candidates = ofContent.length > 0 ? ofContent : stored.filter((key) => key.contentid === null);
  const keys = tracksOf(kids).map(([track, wanted]) => {
    const found = keyFor(candidates, track);
    if (found === undefined) {
      throw ruleViolated(
        `${called('DRM provider', { id, name })} holds no key for ${track} tracks of content ${JSON.stringify(contentid)}. Add one with updateDrmProvider.`,
      );
    }
    if (period !== undefined)
      return { track, kid: wanted, key: keyOfPeriod(found.key, wanted), iv: mode === 'cbcs' ? wanted : null };
    return { track, kid: found.kid, key: found.key, iv: mode === 'cbcs' ? (found.iv ?? found.kid) : null };
  });
  const distinct = [...new Set(keys.map(({ kid }) => kid))];
  const signals = distinct.flatMap((kid) => systems.map((system) => signalOf(system, kid, mode)));
  return { encryption_mode: mode, keys, signals };
}

/** A server of ClearKey that has the stored key makes that of any period from the key id that a player sends. */
function keyOfPeriod(key: string, kid: string): string {
  return createHmac('sha256', Buffer.from(key, 'hex')).update(Buffer.from(kid, 'hex')).digest('hex').slice(0, 32);
}

function keyFor(candidates: readonly StaticKey[], track: KeyTrack): StaticKey | undefined {
  return candidates.find((key) => key.track === track) ?? candidates.find((key) => key.track === 'ALL');
}

/** FairPlay names a key by the URI of its key server (skd://). There is none here, so its part stays empty. */
function signalOf(system: DrmSystem, kid: string, mode: ContentKeys['encryption_mode']): DrmSignal {
  const pssh = { WIDEVINE: widevinePssh, PLAYREADY: playreadyPssh, FAIRPLAY: () => null }[system](kid, mode);
  return { system, kid, pssh, content_protection: null, hls_media: null, hls_master: null, key_uri: null };
}
