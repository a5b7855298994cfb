/** Reads the XML of a CPIX document, which a key server has written. What it refuses is told without a word of the document, which holds keys. */
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { AppError } from '../domain/base/errors.ts';

export type Element = Record<string, unknown>;

const LISTS = new Set([
  'ContentKeyList',
  'ContentKey',
  'Data',
  'Secret',
  'PlainValue',
  'EncryptedValue',
  'CipherData',
  'CipherValue',
  'ValueMAC',
  'EncryptionMethod',
  'DeliveryDataList',
  'DeliveryData',
  'DocumentKey',
  'MACMethod',
  'Key',
  'DRMSystemList',
  'DRMSystem',
  'PSSH',
  'ContentProtectionData',
  'HLSSignalingData',
  'URIExtXKey',
]);

/** Attributes begin with @, text is under #. Prefixes are dropped: a server is free to bind any prefix to the namespace. */
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  textNodeName: '#',
  alwaysCreateTextNode: true,
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  isArray: (name, _path, _leaf, isAttribute) => !isAttribute && LISTS.has(name),
});

export function parseXml(text: string): Element {
  // A DTD can define entities that grow without bound or read files; CPIX has no use for one.
  if (/<!(?:DOCTYPE|ENTITY)/iu.test(text)) refuse('has a document type declaration, which is never accepted');
  if (text.trim() === '' || XMLValidator.validate(text) !== true) refuse('is not well-formed XML');
  const root = parse(text)['CPIX'];
  if (!isElement(root)) refuse('is not a CPIX document');
  return root;
}

/** The parser throws at nesting without end and at names that are JavaScript's own. */
function parse(text: string): Element {
  try {
    return parser.parse(text) as Element;
  } catch {
    // The parser's own words would repeat parts of the document, which holds keys.
    return refuse('is XML that no CPIX document would be');
  }
}

export function children(element: Element | undefined, name: string): Element[] {
  const found = element?.[name];
  return Array.isArray(found) ? found.map((child: unknown) => (isElement(child) ? child : { '#': child })) : [];
}

function isElement(value: unknown): value is Element {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textOf(element: Element | undefined): string {
  const text = element?.['#'];
  return typeof text === 'string' ? text.trim() : '';
}

export function bytesOf(base64: unknown): Buffer | undefined {
  const text = typeof base64 === 'string' ? base64.replace(/\s+/gu, '') : '';
  // Buffer skips characters that are not base64 without an error.
  return text.length % 4 === 0 && /^[A-Za-z\d+/]+={0,2}$/u.test(text) ? Buffer.from(text, 'base64') : undefined;
}

export function refuse(what: string): never {
  throw new AppError('upstream_failed', `The CPIX answer of the key server ${what}.`);
}
