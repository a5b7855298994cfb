/** A CPIX key server as SPEKE v2 describes one: it checks the request document and the caller, and can be told to misbehave. */
import {
  constants,
  createCipheriv,
  createHmac,
  generateKeyPairSync,
  publicEncrypt,
  randomBytes,
  X509Certificate,
} from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { XMLParser, XMLValidator } from 'fast-xml-parser';

export type Fault =
  | 'wrong kid'
  | 'wrong scheme'
  | 'no scheme'
  | 'short key'
  | 'encrypted key'
  | 'plain key'
  | 'bad mac'
  | 'no mac'
  | 'other certificate'
  | 'other algorithm'
  | 'no document key'
  | 'bad iv'
  | 'no signals'
  | 'foreign pssh'
  | 'bad hls'
  | 'other content'
  | 'failure'
  | 'silence'
  | 'half'
  | 'huge'
  | 'dtd'
  | 'not xml'
  | 'not cpix'
  | 'redirect'
  | 'echo';

export interface KeyServer {
  url: string;
  /** Requests that passed every check, as parsed documents, with the tenant they came for. */
  requests: { tenant: string | undefined; document: Record<string, any> }[];
  /** Why a request was refused, last first. */
  refused: string[];
  fault: Fault | undefined;
  /** Key and IV that it delivers for a kid (hexadecimal digits). */
  keyOf(kid: string): { key: string; iv: string };
  close(): Promise<void>;
}

export interface KeyServerOptions {
  /** The one Authorization header that it accepts; left out: it asks for none. */
  authorization?: string;
  tenant?: string;
}

const WIDEVINE = 'edef8ba9-79d6-4ace-a3c8-27dcd51d21ed';
const FAIRPLAY = '94ce86fb-07ff-4f43-adb8-93d2fa968ca2';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

/** Sees only what it is sent: nothing of the client's code is used here. */
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  isArray: (name, _path, _leaf, isAttribute) =>
    !isAttribute && /:(ContentKey|ContentKeyPeriod|DRMSystem|ContentKeyUsageRule|HLSSignalingData)$/u.test(name),
});

export async function startKeyServer(options: KeyServerOptions = {}): Promise<KeyServer> {
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    const say = (status: number, text: string, headers: Record<string, string> = {}): void => {
      if (status !== 200) keyServer.refused.unshift(text);
      response.writeHead(status, { 'content-type': 'application/xml', 'x-speke-version': '2.0', ...headers }).end(text);
    };
    const { authorization } = request.headers;
    if (options.authorization !== undefined && authorization !== options.authorization) return say(401, 'who are you?');
    if (options.tenant !== undefined && request.headers['x-tenant-id'] !== options.tenant)
      return say(403, 'not your tenant');
    if (request.url !== '/speke/v2.0/copyProtection') return say(404, 'nothing here');
    if (request.method !== 'POST') return say(405, 'POST only');
    const wrong = headerIssue(request) ?? documentIssue(body);
    if (wrong !== undefined) return say(422, wrong);
    const { fault } = keyServer;
    if (fault === 'silence') return undefined;
    if (fault === 'failure') return say(500, 'vault is sealed');
    if (fault === 'echo') return say(400, `cannot serve ${authorization} (${decodedBasic(authorization)})`);
    if (fault === 'redirect') return say(307, '', { location: 'https://elsewhere.example.org/keys?token=canary' });
    if (fault === 'not xml') return say(200, '<cpix:CPIX');
    if (fault === 'not cpix') return say(200, '<html><body>Welcome</body></html>');
    if (fault === 'half') {
      response.writeHead(200, { 'content-length': '5000' }).write('<cpix:CPIX ');
      response.destroy();
      return undefined;
    }
    const document = parser.parse(body)['cpix:CPIX'];
    keyServer.requests.push({ tenant: request.headers['x-tenant-id'] as string | undefined, document });
    const text = documentOf(document, fault, (kid) => keyServer.keyOf(kid));
    if (fault === 'huge') return say(200, text.replace('</cpix:CPIX>', `<!--${'x'.repeat(2_000_000)}--></cpix:CPIX>`));
    if (fault === 'dtd') return say(200, `<!DOCTYPE x [<!ENTITY k "v">]>${text}`);
    return say(200, text);
  }

  const keyServer: KeyServer = {
    url: '',
    requests: [],
    refused: [],
    fault: undefined,
    keyOf: (kid) => ({
      key: Buffer.from(Buffer.from(kid, 'hex').map((byte) => byte ^ 0xff)).toString('hex'),
      iv: Buffer.from(kid, 'hex').reverse().toString('hex'),
    }),
    close: () => closed(server),
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  keyServer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/speke/v2.0/copyProtection`;
  return keyServer;
}

export async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

export function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function decodedBasic(authorization = ''): string {
  return Buffer.from(authorization.replace(/^Basic /u, ''), 'base64').toString('utf8');
}

function headerIssue({ headers }: IncomingMessage): string | undefined {
  if (headers['content-type'] !== 'application/xml') return 'Content-Type must be application/xml';
  return headers['x-speke-version'] === '2.0' ? undefined : 'Unsupported SPEKE version';
}

/** The constraints that SPEKE v2 puts on a request document. */
function documentIssue(body: string): string | undefined {
  if (XMLValidator.validate(body) !== true) return 'not well-formed';
  const root = parser.parse(body)['cpix:CPIX'];
  if (root?.['xmlns:cpix'] !== 'urn:dashif:org:cpix') return 'Missing CPIX';
  if (root['xmlns:pskc'] !== 'urn:ietf:params:xml:ns:keyprov:pskc') return 'Missing pskc namespace';
  if (!root.contentId) return 'Missing CPIX@contentId';
  if (root.version !== '2.3') return 'Unsupported CPIX@version';
  const keys: any[] = root['cpix:ContentKeyList']?.['cpix:ContentKey'] ?? [];
  const kids = keys.map(({ kid }) => kid);
  if (kids.length === 0 || new Set(kids).size < kids.length || !kids.every((kid) => UUID.test(kid)))
    return 'Bad ContentKeyList';
  if (!keys.every((key) => ['cenc', 'cbcs'].includes(key.commonEncryptionScheme)))
    return 'Missing ContentKey@commonEncryptionScheme';
  if (!keys.every((key) => key.explicitIV === undefined || Buffer.from(key.explicitIV, 'base64').length === 16))
    return 'Bad explicitIV';
  const systems: any[] = root['cpix:DRMSystemList']?.['cpix:DRMSystem'] ?? [];
  if (systems.length === 0 || !systems.every(({ kid }) => kids.includes(kid))) return 'Bad DRMSystemList';
  const rules: any[] = root['cpix:ContentKeyUsageRuleList']?.['cpix:ContentKeyUsageRule'] ?? [];
  const ruled = rules.map(({ kid }) => kid);
  if (kids.some((kid) => !ruled.includes(kid)) || rules.length !== kids.length) return 'Bad ContentKeyUsageRuleList';
  const periods: any[] = root['cpix:ContentKeyPeriodList']?.['cpix:ContentKeyPeriod'] ?? [];
  if (!periods.every(({ id, index }) => /^[A-Za-z_]/u.test(id) && /^\d+$/u.test(index)))
    return 'Bad ContentKeyPeriodList';
  const wanted = periods.map(({ id }) => id).join(' ');
  if (rules.some((rule) => (rule['cpix:KeyPeriodFilter']?.periodId ?? '') !== wanted)) return 'Bad KeyPeriodFilter';
  return rules.map(ruleIssue).find((issue) => issue !== undefined);
}

function ruleIssue(rule: any): string | undefined {
  const filters = ['cpix:VideoFilter', 'cpix:AudioFilter'].filter((name) => name in rule).join(' ');
  const wanted: Record<string, string> = {
    ALL: 'cpix:VideoFilter cpix:AudioFilter',
    VIDEO: 'cpix:VideoFilter',
    AUDIO: 'cpix:AudioFilter',
  };
  return wanted[rule.intendedTrackType] === filters ? undefined : `Bad filters for ${rule.intendedTrackType}`;
}

const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');
const encoded = (text: string): string => Buffer.from(text).toString('base64');
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Prefixes of its own choice: `c` and `k` are bound to the namespaces. */
function documentOf(question: any, fault: Fault | undefined, keyOf: KeyServer['keyOf']): string {
  const contentId = fault === 'other content' ? 'another' : question.contentId;
  const delivery = question['cpix:DeliveryDataList']?.['cpix:DeliveryData'];
  const encryption = delivery === undefined ? undefined : encryptionFor(delivery, fault);
  const keys = question['cpix:ContentKeyList']['cpix:ContentKey'].map((wanted: any) =>
    keyElement(wanted, fault, keyOf, encryption),
  );
  const systems = question['cpix:DRMSystemList']['cpix:DRMSystem'].map((wanted: any) => systemElement(wanted, fault));
  return `<?xml version="1.0" encoding="UTF-8"?>
<cpix:CPIX xmlns:cpix="urn:dashif:org:cpix" xmlns:k="urn:ietf:params:xml:ns:keyprov:pskc" xmlns:e="http://www.w3.org/2001/04/xmlenc#" contentId="${escaped(contentId)}" version="2.3">${fault === 'no document key' ? '' : (encryption?.list ?? '')}
<cpix:ContentKeyList>${keys.join('')}</cpix:ContentKeyList><cpix:DRMSystemList>${systems.join('')}</cpix:DRMSystemList></cpix:CPIX>`;
}

interface Encryption {
  /** The DeliveryDataList of the answer. */
  list: string;
  /** The content of the Secret of a content key. */
  secretOf(value: Buffer): string;
}

const XMLENC = 'http://www.w3.org/2001/04/xmlenc#';

/** The encryption of CPIX for the certificate of the question, by other means than those of the client where there are any. */
function encryptionFor(delivery: any, fault: Fault | undefined): Encryption {
  const certificate = delivery['cpix:DeliveryKey']['ds:X509Data']['ds:X509Certificate'] as string;
  const client = new X509Certificate(Buffer.from(certificate, 'base64'));
  if (!client.verify(client.publicKey)) throw new Error('The certificate is not signed by its own key.');
  const to =
    fault === 'other certificate' ? generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey : client.publicKey;
  const [documentKey, macKey] = [randomBytes(32), randomBytes(64)];
  const value = (algorithm: string, bytes: Buffer): string =>
    `<k:EncryptedValue><e:EncryptionMethod Algorithm="${XMLENC}${algorithm}"/><e:CipherData><e:CipherValue>${bytes.toString('base64')}</e:CipherValue></e:CipherData></k:EncryptedValue>`;
  const wrapped = (key: Buffer): string =>
    value('rsa-oaep-mgf1p', publicEncrypt({ key: to, padding: constants.RSA_PKCS1_OAEP_PADDING }, key));
  const cbc = fault === 'other algorithm' ? 'aes128-cbc' : 'aes256-cbc';
  const mac = `<cpix:MACMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#hmac-sha512"><cpix:Key>${wrapped(macKey)}</cpix:Key></cpix:MACMethod>`;
  const list = `<cpix:DeliveryDataList><cpix:DeliveryData id="${delivery.id}"><cpix:DocumentKey Algorithm="${XMLENC}${cbc}"><cpix:Data><k:Secret>${wrapped(documentKey)}</k:Secret></cpix:Data></cpix:DocumentKey>${fault === 'no mac' ? '' : mac}</cpix:DeliveryData></cpix:DeliveryDataList>`;
  return {
    list,
    secretOf(key) {
      if (fault === 'plain key') return `<k:PlainValue>${key.toString('base64')}</k:PlainValue>`;
      const iv = randomBytes(16);
      const cipher = createCipheriv('aes-256-cbc', documentKey, iv).setAutoPadding(false);
      // XML Encryption leaves the bytes of the padding open, but for the last one.
      const padding = Buffer.concat([randomBytes(15 - (key.length % 16)), Buffer.from([16 - (key.length % 16)])]);
      const encrypted = Buffer.concat([iv, cipher.update(Buffer.concat([key, padding])), cipher.final()]);
      const sum = createHmac('sha512', macKey).update(encrypted).digest();
      if (fault === 'bad mac') sum[0] = sum[0]! ^ 1;
      const tail = fault === 'no mac' ? '' : `<k:ValueMAC>${sum.toString('base64')}</k:ValueMAC>`;
      return `${value('aes256-cbc', encrypted)}${tail}`;
    },
  };
}

function keyElement(
  wanted: any,
  fault: Fault | undefined,
  keyOf: KeyServer['keyOf'],
  encryption: Encryption | undefined,
): string {
  const { key, iv } = keyOf(wanted.kid.replaceAll('-', ''));
  const kid = fault === 'wrong kid' ? '00000000-0000-0000-0000-000000000000' : wanted.kid.toUpperCase();
  const other = wanted.commonEncryptionScheme === 'cbcs' ? 'cenc' : 'cbcs';
  const scheme = fault === 'wrong scheme' ? other : wanted.commonEncryptionScheme;
  const vector = base64(fault === 'bad iv' ? iv.slice(8) : iv);
  const value = base64(fault === 'short key' ? key.slice(2) : key);
  const secret =
    encryption !== undefined
      ? encryption.secretOf(Buffer.from(value, 'base64'))
      : fault === 'encrypted key'
        ? `<k:EncryptedValue><CipherValue>${value}</CipherValue></k:EncryptedValue>`
        : `<k:PlainValue>${value}</k:PlainValue>`;
  const attributes = `kid="${kid}" ${fault === 'no scheme' ? '' : `commonEncryptionScheme="${scheme}"`} explicitIV="${vector}"`;
  return `<cpix:ContentKey ${attributes}><cpix:Data><k:Secret>${secret}</k:Secret></cpix:Data></cpix:ContentKey>`;
}

function systemElement({ kid, systemId, ...question }: any, fault: Fault | undefined): string {
  if (fault === 'no signals') return '';
  const hex = kid.replaceAll('-', '');
  const boxId = (fault === 'foreign pssh' ? FAIRPLAY : systemId).replaceAll('-', '');
  const box = `0000003470737368000000${'00'}${boxId}00000014${'0801'}${'1210'}${hex}`;
  const uri = systemId === FAIRPLAY ? `skd://${hex}` : 'data:text/plain;base64,AAAA';
  const format = systemId === FAIRPLAY ? 'com.apple.streamingkeydelivery' : `urn:uuid:${systemId}`;
  const tag = (name: string): string => `#EXT-X-${name}:METHOD=SAMPLE-AES,URI="${uri}",KEYFORMAT="${format}"`;
  const media = fault === 'bad hls' ? 'http://evil.example.org/segment.ts' : tag('KEY');
  const parts = [
    ...('cpix:PSSH' in question ? [`<cpix:PSSH>${base64(box)}</cpix:PSSH>`] : []),
    ...('cpix:ContentProtectionData' in question && systemId === WIDEVINE
      ? [
          `<cpix:ContentProtectionData>${encoded(`<pssh xmlns="urn:mpeg:cenc:2013">${base64(box)}</pssh>`)}</cpix:ContentProtectionData>`,
        ]
      : []),
    `<cpix:HLSSignalingData playlist="media">${encoded(media)}</cpix:HLSSignalingData>`,
    `<cpix:HLSSignalingData playlist="master">${encoded(tag('SESSION-KEY'))}</cpix:HLSSignalingData>`,
  ];
  return `<cpix:DRMSystem kid="${kid}" systemId="${systemId.toUpperCase()}">${parts.join('')}</cpix:DRMSystem>`;
}
