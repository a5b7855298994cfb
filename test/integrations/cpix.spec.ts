import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../domain/base/errors.ts';
import type { KeyRequest } from '../../domain/shapes/installation/integrations.ts';
import { buildRequest, parseAnswer } from '../../integrations/cpix.ts';
import { contentKeyId } from '../../domain/shapes/destinations/content-key-id.ts';
import { isPsshOf, playreadyPssh, widevinePssh } from '../../integrations/pssh.ts';

const KID = '00112233445566778899aabbccddeeff';
const REQUEST: KeyRequest = { contentid: 'news', kids: { ALL: KID }, systems: ['WIDEVINE'], encryption_mode: 'cenc' };
const SECRET = 'Y2FuYXJ5LXNlY3JldC1rZQ==';
const PSSH = widevinePssh(KID, 'cenc');

interface Parts {
  root?: string;
  key?: string;
  system?: string;
}

function answer({ root, key, system }: Parts = {}): string {
  const attributes = root ?? 'contentId="news" version="2.3"';
  const keyElement =
    key ??
    `<c:ContentKey kid="00112233-4455-6677-8899-aabbccddeeff" commonEncryptionScheme="cenc"><c:Data><p:Secret><p:PlainValue>${SECRET}</p:PlainValue></p:Secret></c:Data></c:ContentKey>`;
  const systemElement =
    system ??
    `<c:DRMSystem kid="00112233-4455-6677-8899-AABBCCDDEEFF" systemId="edef8ba9-79d6-4ace-a3c8-27dcd51d21ed"><c:PSSH>${PSSH}</c:PSSH></c:DRMSystem>`;
  return `<c:CPIX xmlns:c="urn:dashif:org:cpix" xmlns:p="urn:ietf:params:xml:ns:keyprov:pskc" ${attributes}><c:ContentKeyList>${keyElement}</c:ContentKeyList><c:DRMSystemList>${systemElement}</c:DRMSystemList></c:CPIX>`;
}

function refused(text: string, pattern: RegExp, request: Partial<KeyRequest> = {}): void {
  assert.throws(
    () => parseAnswer(text, { ...REQUEST, ...request }),
    (error: unknown) => {
      assert.ok(error instanceof AppError, String(error));
      assert.equal(error.code, 'upstream_failed');
      assert.match(error.message, pattern);
      assert.ok(!JSON.stringify([error.message, error.extras]).includes(SECRET), 'no key in an error');
      return true;
    },
  );
}

describe('CPIX request', () => {
  it('a CPIX request asks for one key for all tracks, or one for each kind, with a usage rule each', () => {
    const shared = buildRequest(REQUEST);
    assert.match(shared, /<cpix:CPIX contentId="news" version="2\.3"/u);
    assert.match(shared, /intendedTrackType="ALL"><cpix:VideoFilter\/><cpix:AudioFilter\/>/u);
    assert.ok(!shared.includes('explicitIV'), 'each sample of cenc has an IV of its own');
    const split = buildRequest({
      ...REQUEST,
      kids: { AUDIO: KID.replace('0', '1'), VIDEO: KID },
      encryption_mode: 'cbcs',
    });
    assert.equal(split.match(/<cpix:ContentKey /gu)?.length, 2);
    assert.match(split, /intendedTrackType="VIDEO"><cpix:VideoFilter\/><\//u);
    assert.match(split, /intendedTrackType="AUDIO"><cpix:AudioFilter\/><\//u);
    assert.match(split, /commonEncryptionScheme="cbcs" explicitIV="ABEiM0RVZneImaq7zN3u\/w=="/u);
  });

  it('a CPIX request escapes what a content id may hold', () => {
    const text = buildRequest({ ...REQUEST, contentid: 'a"b<c&d' });
    assert.match(text, /contentId="a&quot;b&lt;c&amp;d"/u);
    const echoed = answer({ root: 'contentId="a&quot;b&lt;c&amp;d" version="2.3"' });
    assert.equal(parseAnswer(echoed, { ...REQUEST, contentid: 'a"b<c&d' }).keys.length, 1);
  });

  it('a CPIX request derives the same key id for the same content, and another for another track', () => {
    assert.equal(contentKeyId('news', 'ALL'), contentKeyId('news', 'ALL'));
    assert.notEqual(contentKeyId('news', 'VIDEO'), contentKeyId('news', 'AUDIO'));
    assert.match(contentKeyId('news', 'ALL'), /^[0-9a-f]{12}5[0-9a-f]{3}[89ab][0-9a-f]{15}$/u);
  });
});

describe('CPIX answer', () => {
  it('a CPIX answer gives key, IV and signals, whatever prefixes and letter case are used', () => {
    const { keys, signals } = parseAnswer(answer(), REQUEST);
    assert.deepEqual(keys, [{ track: 'ALL', kid: KID, key: Buffer.from(SECRET, 'base64').toString('hex'), iv: null }]);
    assert.equal(signals[0]?.pssh, PSSH);
    assert.equal(signals[0]?.hls_media, null);
    const plain = answer()
      .replace(/<(\/?)[cp]:/gu, '<$1')
      .replace('xmlns:c', 'xmlns');
    assert.deepEqual(parseAnswer(plain, REQUEST).keys, keys);
  });

  it('a CPIX answer gives the IV of the key server for cbcs, else the one that was proposed', () => {
    const key = answer().replace('"cenc"', '"cbcs"');
    assert.equal(parseAnswer(key, { ...REQUEST, encryption_mode: 'cbcs' }).keys[0]?.iv, KID);
    const own = key.replace('commonEncryptionScheme', 'explicitIV="AAAAAAAAAAAAAAAAAAAAAQ==" commonEncryptionScheme');
    const { iv } = parseAnswer(own, { ...REQUEST, encryption_mode: 'cbcs' }).keys[0] ?? {};
    assert.equal(iv, `${'0'.repeat(31)}1`);
    refused(own.replace('AAAAAAAAAAAAAAAAAAAAAQ==', 'AAAA'), /explicitIV/u, { encryption_mode: 'cbcs' });
  });

  it('a CPIX answer that is not the document that was asked for is refused', () => {
    refused('', /not well-formed/u);
    refused('<a><b></a>', /not well-formed/u);
    refused('<html/>', /not a CPIX document/u);
    refused(`<!DOCTYPE c [<!ENTITY x SYSTEM "file:///etc/passwd">]>${answer()}`, /document type/u);
    refused(`<CPIX>${'<a>'.repeat(9000)}${'</a>'.repeat(9000)}</CPIX>`, /no CPIX document would be/u);
    refused('<CPIX><__proto__><x>1</x></__proto__></CPIX>', /no CPIX document would be/u);
    refused('<CPIX/><CPIX/>', /not a CPIX document|not well-formed/u);
    refused(answer({ root: 'contentId="other"' }), /another content id/u);
    refused(answer({ key: '' }), /no key for the kid.*00112233-4455-6677-8899-aabbccddeeff/u);
    refused(answer(), /where cbcs was asked for/u, { encryption_mode: 'cbcs' });
    refused(answer().replace(' commonEncryptionScheme="cenc"', ''), /no scheme known where cenc/u);
  });

  it('a CPIX answer with keys that are none is refused, and they are never repeated', () => {
    const key = (inner: string): string =>
      `<c:ContentKey kid="${KID}" commonEncryptionScheme="cenc"><c:Data><p:Secret>${inner}</p:Secret></c:Data></c:ContentKey>`;
    refused(answer({ key: key('') }), /no key of 16 bytes/u);
    refused(answer({ key: key(`<p:PlainValue>${SECRET}AAAA</p:PlainValue>`) }), /no key of 16 bytes/u);
    refused(answer({ key: key('<p:PlainValue>!notbase64!</p:PlainValue>') }), /no key of 16 bytes/u);
    refused(answer({ key: key('<p:EncryptedValue><x>AAAA</x></p:EncryptedValue>') }), /encrypted key/u);
    const twice = key(`<p:PlainValue>${SECRET}</p:PlainValue>`);
    refused(answer({ key: `${twice}${twice}` }), /two keys/u);
  });

  it('a CPIX answer with signals that no player can use, or that say something else in a manifest, is refused', () => {
    const system = (id: string, inner: string): string =>
      `<c:DRMSystem kid="${KID}" systemId="${id}">${inner}</c:DRMSystem>`;
    const widevine = 'edef8ba9-79d6-4ace-a3c8-27dcd51d21ed';
    const encoded = (text: string): string => Buffer.from(text).toString('base64');
    refused(answer({ system: '' }), /no PSSH for WIDEVINE/u);
    refused(
      answer({ system: system(widevine, `<c:PSSH>${playreadyPssh(KID, 'cenc')}</c:PSSH>`) }),
      /not one box of WIDEVINE/u,
    );
    const hls = (text: string): string =>
      `<c:PSSH>${PSSH}</c:PSSH><c:HLSSignalingData playlist="media">${encoded(text)}</c:HLSSignalingData>`;
    refused(answer({ system: system(widevine, hls('#EXTINF:6,\nhttp://evil/x.ts')) }), /HLSSignalingData of WIDEVINE/u);
    refused(answer({ system: system(widevine, hls('#EXTINF:6')) }), /HLSSignalingData of WIDEVINE/u);
    const lines = '#EXT-X-KEY:METHOD=SAMPLE-AES,URI="data:x"\n#EXT-X-VENDOR:1';
    assert.equal(parseAnswer(answer({ system: system(widevine, hls(lines)) }), REQUEST).signals[0]?.hls_media, lines);
    const xml = (text: string): string =>
      `<c:PSSH>${PSSH}</c:PSSH><c:ContentProtectionData>${encoded(text)}</c:ContentProtectionData>`;
    refused(
      answer({ system: system(widevine, xml('</ContentProtection><BaseURL>x</BaseURL>')) }),
      /ContentProtectionData/u,
    );
    const fairplay = '94ce86fb-07ff-4f43-adb8-93d2fa968ca2';
    refused(answer({ system: system(fairplay, '') }), /for FAIRPLAY/u, { systems: ['FAIRPLAY'] });
    const skd = answer({ system: system(fairplay, `<c:URIExtXKey>${encoded('skd://key')}</c:URIExtXKey>`) });
    assert.equal(parseAnswer(skd, { ...REQUEST, systems: ['FAIRPLAY'] }).signals[0]?.key_uri, 'skd://key');
  });
});

describe('pssh boxes', () => {
  it('pssh boxes are those that packagers write for Widevine', () => {
    assert.equal(
      Buffer.from(widevinePssh(KID, 'cbcs'), 'base64').toString('hex'),
      `0000003870737368${'00000000'}edef8ba979d64acea3c827dcd51d21ed00000018${'1210'}${KID}${'48f3c6899b06'}`,
    );
    assert.ok(isPsshOf(Buffer.from(widevinePssh(KID, 'cenc'), 'base64'), 'edef8ba979d64acea3c827dcd51d21ed'));
  });

  it('pssh boxes carry a PlayReady header with the key id as a GUID', () => {
    for (const [mode, version, algorithm] of [
      ['cenc', '4.0.0.0', 'AESCTR'],
      ['cbcs', '4.3.0.0', 'AESCBC'],
    ] as const) {
      const box = Buffer.from(playreadyPssh(KID, mode), 'base64');
      assert.ok(isPsshOf(box, '9a04f07998404286ab92e65be0885f95'));
      const object = box.subarray(32);
      assert.deepEqual([object.readUInt32LE(0), object.readUInt16LE(4), object.readUInt16LE(6)], [object.length, 1, 1]);
      assert.equal(object.readUInt16LE(8), object.length - 10);
      const header = object.toString('utf16le', 10);
      const guid = Buffer.from('33221100554477668899aabbccddeeff', 'hex').toString('base64');
      assert.ok(header.includes(`version="${version}"`) && header.includes(algorithm) && header.includes(guid), header);
    }
  });
});
