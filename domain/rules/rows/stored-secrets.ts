/** Every secret in the store, so that any text can be searched for them. */
import { RESIDENT_NAMES } from '../../ports/collections.ts';
import { percentDecoded } from '../../base/percent-encoding.ts';
import type { View } from '../../ports/store.ts';

/**
 * Names of fields that hold a secret, or an object of secrets. An access key id and a token's kid are answered to callers and are no
 * secrets.
 */
const SECRET_FIELD =
  /pass(?:word|phrase)|secret|token|hash|credential|stream_key|(?<!live)streamid|jws|(?<!access_)key$/iu;
/** Shorter secrets would hide ordinary words; they can be guessed anyway. */
const MIN_SECRET_LENGTH = 6;

export function isSecretField(name: string): boolean {
  return SECRET_FIELD.test(name);
}

export function storedSecrets(view: View): string[] {
  const secrets = new Set<string>();
  // History is written without secrets, or sealed.
  for (const collection of RESIDENT_NAMES) {
    for (const row of view.find(collection, {}).rows) collect(row, false, secrets);
  }
  return [...secrets].filter((secret) => secret.length >= MIN_SECRET_LENGTH);
}

function collect(value: unknown, isSecret: boolean, secrets: Set<string>): void {
  if (typeof value === 'string') {
    if (isSecret) secrets.add(value);
    for (const part of secretsOfUrl(value)) secrets.add(part);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      collect(inner, Array.isArray(value) ? isSecret : isSecret || isSecretField(name), secrets);
    }
  }
}

/** User-info, query values, and the key after an RTMP application, because many users paste secrets there. */
function secretsOfUrl(text: string): string[] {
  if (!/^[a-z][a-z0-9+.-]*:\/\//iu.test(text)) return [];
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    // The parts of a text that is no URL are not known, so all of it is secret.
    return [text];
  }
  // The options of a bucket's address say where it is.
  if (url.protocol === 's3:') return [url.password, percentDecoded(url.password)];
  const key = url.protocol.startsWith('rtmp') ? url.pathname.split('/').slice(2).join('/') : '';
  return [url.password, percentDecoded(url.password), key, ...url.searchParams.values(), url.search.slice(1)];
}
