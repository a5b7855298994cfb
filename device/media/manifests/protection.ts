/** The encryption of a Destination as its media and manifests announce it: a key for each kind of track, and where each DRM system finds the key. */
import type { ContentKey, ContentKeys, DrmSignal } from '../../../domain/shapes/installation/integrations.ts';
import type { OutputDrm } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { ContentProtection } from './dash-protection.ts';
import type { HlsKeys } from './hls-playlist.ts';
import type { TrackKey } from '../encryption/sample-cipher.ts';

type Kind = 'video' | 'audio';
type System = OutputDrm['systems'][number];

export interface Protection {
  /** Returns the protection of the tracks of a kind. Throws TypeError when no key is for them. */
  of(kind: Kind): TrackProtection;
  /** Returns the words of manifests about the keys of these kinds of tracks. */
  announced(kinds: readonly Kind[]): AnnouncedKeys;
}

export interface TrackProtection extends AnnouncedTrackKeys {
  /** Secret. */
  key: TrackKey;
  /** Boxes for the initialisation segment. */
  psshs: readonly Buffer[];
}

export interface AnnouncedTrackKeys {
  dash: ContentProtection;
  hls: HlsKeys;
}

/** Keys as manifests announce them. They are stored with the segments that they belong to, and nothing of them is secret. */
export interface AnnouncedKeys {
  video?: AnnouncedTrackKeys | undefined;
  audio?: AnnouncedTrackKeys | undefined;
  /** Keys in the master playlist. */
  session: HlsKeys;
}

/** https://dashif.org/identifiers/content_protection/ */
const SYSTEM_IDS: Record<System, string> = {
  WIDEVINE: 'edef8ba9-79d6-4ace-a3c8-27dcd51d21ed',
  PLAYREADY: '9a04f079-9840-4286-ab92-e65be0885f95',
  FAIRPLAY: '94ce86fb-07ff-4f43-adb8-93d2fa968ca2',
};
const METHODS = { cenc: 'SAMPLE-AES-CTR', cbcs: 'SAMPLE-AES' } as const;

/** Throws TypeError, which repeats no key, for keys that do not fit together: the next attempt would fail as well. */
export function protectionOf(drm: OutputDrm): Protection {
  const { encryption_mode: scheme, keys, systems } = drm;
  if (scheme === 'cenc' && systems.includes('FAIRPLAY'))
    throw new TypeError('FairPlay needs the encryption cbcs, and the keys are for cenc.');
  const signalsOf = ({ kid }: ContentKey): DrmSignal[] => systems.map((system) => signalFor(drm, system, kid));
  const protections = new Map(keys.map((key) => [key, trackProtection(key, scheme, signalsOf(key))]));
  const distinct = keys.filter(({ kid }, i) => keys.findIndex((one) => one.kid === kid) === i);
  const session = distinct.flatMap(signalsOf).flatMap((signal) => hlsKeys(signal, scheme, signal.hls_master));
  const of = (kind: Kind): TrackProtection => {
    const track = kind === 'video' ? 'VIDEO' : 'AUDIO';
    const key = keys.find((one) => one.track === track) ?? keys.find((one) => one.track === 'ALL');
    if (key === undefined) throw new TypeError(`The DRM provider has no key for ${kind} tracks.`);
    return protections.get(key)!;
  };
  const words = (kind: Kind): AnnouncedTrackKeys => {
    const { dash, hls } = of(kind);
    return { dash, hls };
  };
  return {
    of,
    announced: (kinds) => ({ ...Object.fromEntries(kinds.map((kind) => [kind, words(kind)])), session }),
  };
}

function signalFor({ signals }: ContentKeys, system: System, kid: string): DrmSignal {
  const signal = signals.find((one) => one.system === system && one.kid === kid);
  if (signal === undefined) throw new TypeError(`The DRM provider says nothing about ${system} for key id ${kid}.`);
  return signal;
}

function trackProtection(key: ContentKey, scheme: TrackKey['scheme'], signals: readonly DrmSignal[]): TrackProtection {
  const keyId = bytes16(key.kid, 'a key id');
  const constantIv = scheme === 'cbcs' ? bytes16(key.iv ?? key.kid, 'an IV') : undefined;
  return {
    key: { scheme, keyId, key: bytes16(key.key, 'a key'), constantIv },
    psshs: signals.flatMap(({ pssh }) => (pssh === null ? [] : [Buffer.from(pssh, 'base64')])),
    dash: {
      scheme,
      defaultKeyId: key.kid.toLowerCase(),
      // FairPlay is signalled in HLS alone.
      systems: signals.filter(({ system }) => system !== 'FAIRPLAY').map(dashSystem),
    },
    hls: signals.flatMap((signal) => hlsKeys(signal, scheme, signal.hls_media)),
  };
}

function bytes16(hex: string, what: string): Buffer {
  if (!/^[0-9a-f]{32}$/iu.test(hex)) throw new TypeError(`The DRM provider gave ${what} that is not 16 bytes.`);
  return Buffer.from(hex, 'hex');
}

function dashSystem({ system, pssh, content_protection: xml }: DrmSignal): ContentProtection['systems'][number] {
  const box = pssh === null ? undefined : Buffer.from(pssh, 'base64');
  return {
    systemId: SYSTEM_IDS[system],
    pssh: pssh ?? undefined,
    xml: xml ?? undefined,
    playReadyObject: system === 'PLAYREADY' && box !== undefined ? psshData(box).toString('base64') : undefined,
  };
}

/** Returns the lines of the key server, or else keys made of its pssh box. */
function hlsKeys(signal: DrmSignal, scheme: TrackKey['scheme'], lines: string | null): HlsKeys {
  if (lines !== null) return lines.split(/\r?\n/u).filter((line) => line !== '');
  const { system, kid, pssh, key_uri: uri } = signal;
  const box = pssh === null ? undefined : Buffer.from(pssh, 'base64');
  const common = { method: METHODS[scheme], keyFormatVersions: '1' };
  if (system === 'FAIRPLAY')
    // Without a key server nobody resolves this URI; it names the key all the same.
    return [{ ...common, uri: uri ?? `skd://${kid}`, keyFormat: 'com.apple.streamingkeydelivery' }];
  if (system === 'PLAYREADY') {
    const inline = box && `data:text/plain;charset=UTF-16;base64,${psshData(box).toString('base64')}`;
    const from = uri ?? inline;
    return from === undefined ? [] : [{ ...common, uri: from, keyFormat: 'com.microsoft.playready' }];
  }
  const from = uri ?? (pssh === null ? undefined : `data:text/plain;base64,${pssh}`);
  const keyFormat = `urn:uuid:${SYSTEM_IDS.WIDEVINE}`;
  return from === undefined ? [] : [{ ...common, uri: from, keyFormat, keyId: kid }];
}

/** Returns the data of a pssh box (ISO/IEC 23001-7 §8.1); version 1 lists key ids before it. */
function psshData(box: Buffer): Buffer {
  const at = 28 + (box.readUInt8(8) === 0 ? 0 : 4 + 16 * box.readUInt32BE(28));
  return box.subarray(at + 4, at + 4 + box.readUInt32BE(at));
}
