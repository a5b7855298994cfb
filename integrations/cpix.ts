/**
 * CPIX 2.3 documents as SPEKE v2 exchanges them (DASH-IF "Content Protection Information Exchange Format"). Key values are those of RFC
 * 6030: plain, since TLS protects them, or encrypted for the pair of the provider. All functions here are pure: text in, text or keys out.
 */
import { XMLValidator } from 'fast-xml-parser';
import type { DeliveryKey } from '../domain/shapes/destinations/delivery-key.ts';
import { KEY_TRACKS, type DrmSystem, type KeyTrack } from '../domain/shapes/destinations/drm-provider.ts';
import type { ContentKey, ContentKeys, DrmSignal, KeyRequest } from '../domain/shapes/installation/integrations.ts';
import { bytesOf, children, parseXml, refuse, textOf, type Element } from './cpix-xml.ts';
import { decryptor, deliveryData, type ReadSecret } from './delivered-keys.ts';
import { isPsshOf } from './pssh.ts';

/** Identifiers of https://dashif.org/identifiers/content_protection/. */
const SYSTEM_IDS: Record<DrmSystem, string> = {
  WIDEVINE: 'edef8ba9-79d6-4ace-a3c8-27dcd51d21ed',
  PLAYREADY: '9a04f079-9840-4286-ab92-e65be0885f95',
  FAIRPLAY: '94ce86fb-07ff-4f43-adb8-93d2fa968ca2',
};

const FILTERS: Record<KeyTrack, readonly string[]> = {
  ALL: ['VideoFilter', 'AudioFilter'],
  VIDEO: ['VideoFilter'],
  AUDIO: ['AudioFilter'],
};

/** An empty element asks the key server to fill it. FairPlay is signalled in HLS alone. */
const HLS_SIGNALS = ['HLSSignalingData playlist="media"', 'HLSSignalingData playlist="master"'];
const REQUESTED_ELEMENTS: Record<DrmSystem, readonly string[]> = {
  WIDEVINE: ['PSSH', 'ContentProtectionData', ...HLS_SIGNALS],
  PLAYREADY: ['PSSH', 'ContentProtectionData', ...HLS_SIGNALS],
  FAIRPLAY: HLS_SIGNALS,
};

/**
 * A constant IV of cbcs is proposed, so that a repeated request after a restart gets the same one. It need not be secret (ISO/IEC 23001-7
 * §10.4), and the key server may answer another.
 */
export function buildRequest(
  { contentid, kids, systems, encryption_mode: mode, period }: KeyRequest,
  delivery?: DeliveryKey | null,
): string {
  const tracks = tracksOf(kids);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<cpix:CPIX contentId="${escape(contentid)}" version="2.3" xmlns:cpix="urn:dashif:org:cpix" xmlns:pskc="urn:ietf:params:xml:ns:keyprov:pskc">`,
    ...(delivery == null ? [] : deliveryData(delivery)),
    '<cpix:ContentKeyList>',
    ...tracks.map(([, kid]) => {
      const iv = mode === 'cbcs' ? ` explicitIV="${Buffer.from(kid, 'hex').toString('base64')}"` : '';
      return `<cpix:ContentKey kid="${uuidOf(kid)}" commonEncryptionScheme="${mode}"${iv}/>`;
    }),
    '</cpix:ContentKeyList>',
    '<cpix:DRMSystemList>',
    ...tracks.flatMap(([, kid]) =>
      systems.flatMap((system) => [
        `<cpix:DRMSystem kid="${uuidOf(kid)}" systemId="${SYSTEM_IDS[system]}">`,
        ...REQUESTED_ELEMENTS[system].map((element) => `<cpix:${element}/>`),
        '</cpix:DRMSystem>',
      ]),
    ),
    '</cpix:DRMSystemList>',
    ...(period === undefined ? [] : periodList(period)),
    '<cpix:ContentKeyUsageRuleList>',
    ...tracks.map(([track, kid]) => {
      const own = FILTERS[track].map((filter) => `<cpix:${filter}/>`);
      const filters = [
        ...(period === undefined ? [] : [`<cpix:KeyPeriodFilter periodId="${periodId(period)}"/>`]),
        ...own,
      ].join('');
      return `<cpix:ContentKeyUsageRule kid="${uuidOf(kid)}" intendedTrackType="${track}">${filters}</cpix:ContentKeyUsageRule>`;
    }),
    '</cpix:ContentKeyUsageRuleList>',
    '</cpix:CPIX>',
  ];
  return lines.join('\n');
}

/** The keys are those of one period, which the key server knows by its number. */
function periodList(period: number): string[] {
  return [
    '<cpix:ContentKeyPeriodList>',
    `<cpix:ContentKeyPeriod id="${periodId(period)}" index="${period}"/>`,
    '</cpix:ContentKeyPeriodList>',
  ];
}

const periodId = (period: number): string => `keyPeriod_${period}`;

export function tracksOf(kids: KeyRequest['kids']): [KeyTrack, string][] {
  return KEY_TRACKS.flatMap((track): [KeyTrack, string][] => {
    const kid = kids[track];
    return kid === undefined ? [] : [[track, kid.toLowerCase()]];
  });
}

/** Throws AppError upstream_failed that says what is wrong; the message repeats nothing of the document, which contains keys. */
export function parseAnswer(text: string, request: KeyRequest, delivery?: DeliveryKey | null): ContentKeys {
  const root = parseXml(text);
  const contentId = root['@contentId'];
  if (typeof contentId === 'string' && contentId !== request.contentid) refuse('is about another content id');
  const contentKeys = children(children(root, 'ContentKeyList')[0], 'ContentKey');
  const systems = children(children(root, 'DRMSystemList')[0], 'DRMSystem');
  const tracks = tracksOf(request.kids);
  const read = delivery == null ? plainSecret : decryptor(root, delivery);
  return {
    encryption_mode: request.encryption_mode,
    keys: tracks.map(([track, kid]) => keyOf(contentKeys, [track, kid], request.encryption_mode, read)),
    signals: tracks.flatMap(([, kid]) => request.systems.map((system) => signalOf(systems, system, kid))),
  };
}

function keyOf(
  contentKeys: readonly Element[],
  [track, kid]: readonly [KeyTrack, string],
  mode: KeyRequest['encryption_mode'],
  read: ReadSecret,
): ContentKey {
  const [found, second] = contentKeys.filter((element) => hexOfUuid(element['@kid']) === kid);
  if (found === undefined) refuse(`holds no key for the kid that was asked for (${uuidOf(kid)})`);
  if (second !== undefined) refuse(`holds two keys for the kid ${uuidOf(kid)}`);
  const scheme = found['@commonEncryptionScheme'];
  if (scheme !== mode) {
    const schemeName = typeof scheme === 'string' && /^\w{1,16}$/u.test(scheme) ? scheme : 'no scheme known';
    refuse(`has a key for ${schemeName} where ${mode} was asked for (commonEncryptionScheme)`);
  }
  const [secret] = children(children(found, 'Data')[0], 'Secret');
  const key = read(secret, uuidOf(kid));
  if (key?.length !== 16) refuse(`has no key of 16 bytes in base64 for the kid ${uuidOf(kid)}`);
  return { track, kid, key: key.toString('hex'), iv: mode === 'cbcs' ? ivOf(found['@explicitIV'], kid) : null };
}

function plainSecret(secret: Element | undefined): Buffer | undefined {
  if (children(secret, 'EncryptedValue').length > 0)
    refuse('has an encrypted key; plain values were asked for, over TLS (encrypt_keys is false)');
  return bytesOf(textOf(children(secret, 'PlainValue')[0]));
}

function ivOf(explicit: unknown, kid: string): string {
  if (explicit === undefined) return kid;
  const iv = bytesOf(explicit);
  if (iv?.length !== 16) refuse(`has an explicitIV that is not 16 bytes in base64 for the kid ${uuidOf(kid)}`);
  return iv.toString('hex');
}

function signalOf(systems: readonly Element[], system: DrmSystem, kid: string): DrmSignal {
  const id = SYSTEM_IDS[system].replaceAll('-', '');
  const found = systems.find((element) => hexOfUuid(element['@systemId']) === id && hexOfUuid(element['@kid']) === kid);
  const lines = (playlist: string, tag: string): string | null => {
    const element = children(found, 'HLSSignalingData').find((candidate) => candidate['@playlist'] === playlist);
    return decode(
      element,
      `HLSSignalingData of ${system}`,
      (text) => text.split(/\r?\n/u).every(isTag) && text.includes(tag),
    );
  };
  const signal: DrmSignal = {
    system,
    kid,
    pssh: psshOf(textOf(children(found, 'PSSH')[0]), system, id),
    content_protection: decode(
      children(found, 'ContentProtectionData')[0],
      `ContentProtectionData of ${system}`,
      isFragment,
    ),
    hls_media: lines('media', '#EXT-X-KEY:'),
    hls_master: lines('master', '#EXT-X-SESSION-KEY:'),
    key_uri: decode(children(found, 'URIExtXKey')[0], `URIExtXKey of ${system}`, (text) =>
      /^[a-z][a-z\d+.-]*:[^\s"]+$/iu.test(text),
    ),
  };
  const usable = system === 'FAIRPLAY' ? (signal.hls_media ?? signal.key_uri) : signal.pssh;
  const missing = system === 'FAIRPLAY' ? 'HLSSignalingData for the media playlist' : 'PSSH';
  if (usable === null)
    refuse(`has no ${missing} for ${system} and the kid ${uuidOf(kid)}; does the tenant have ${system}?`);
  return signal;
}

function psshOf(text: string, system: DrmSystem, systemId: string): string | null {
  if (text === '') return null;
  const box = bytesOf(text);
  if (box === undefined || !isPsshOf(box, systemId)) refuse(`has a PSSH that is not one box of ${system} in base64`);
  return box.toString('base64');
}

/**
 * Decodes the base64 of UTF-8 text that goes into a manifest. The text must have the form that its place needs, or a player would read
 * something else.
 */
function decode(element: Element | undefined, what: string, fits: (text: string) => boolean): string | null {
  const encoded = textOf(element);
  if (encoded === '') return null;
  const text = bytesOf(encoded)?.toString('utf8').trim();
  if (text === undefined || !fits(text)) refuse(`has an unusable ${what}`);
  return text;
}

const isTag = (line: string): boolean => line === '' || /^#EXT[^\p{Cc}]*$/u.test(line);
const isFragment = (text: string): boolean =>
  !/<!|<\?/u.test(text) && XMLValidator.validate(`<fragment>${text}</fragment>`) === true;

function uuidOf(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, '$1-$2-$3-$4-$5');
}

function hexOfUuid(uuid: unknown): string | undefined {
  return typeof uuid === 'string' ? uuid.replaceAll('-', '').toLowerCase() : undefined;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
