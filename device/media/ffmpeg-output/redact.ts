/** The one redactor of a run: text from outside (ffmpeg's, a server's answer) passes here before anyone reads it. */
import type { RunSpec, SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { secretsOfPath } from '../../../domain/base/path-secrets.ts';
import { maskDeliveryUrl } from '../../../domain/base/schema.ts';

export type Redact = (text: string) => string;

const HIDDEN = '****';
/** Shorter secrets would blot out ordinary words; they are still hidden inside URLs. */
const MIN_SECRET_LENGTH = 3;

/** Folders of this machine concern nobody: the name of the file is left. A path begins a word, or follows `file:`. */
const FOLDERS = /(^|[\s'"(=])(?:file:)?\/(?:[^\s'"/]+\/)+/gmu;

function urlSecrets(url: string): string[] {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    // The parts of a text that is no URL are not known, so all of it is secret.
    return [url];
  }
  // Its options say where the bucket is; what else stands there is refused.
  if (parsed.protocol === 's3:') return [url, parsed.username, parsed.password, ...secretsOfPath(parsed.pathname)];
  const path = parsed.protocol.startsWith('rtmp') ? parsed.pathname.split('/').slice(2).join('/') : '';
  return [
    url,
    parsed.username,
    parsed.password,
    ...parsed.searchParams.values(),
    path,
    ...secretsOfPath(parsed.pathname),
    parsed.search.slice(1),
  ];
}

/** Every secret string of a source. */
export function secretsOfSource({ settings }: Pick<SourceSpec, 'settings'>): string[] {
  const secrets = [
    settings.passphrase,
    settings.streamid,
    settings.stream_key,
    settings.secret,
    settings.rist?.secret ?? undefined,
    ...(settings.url === undefined ? [] : urlSecrets(settings.url).slice(1)),
  ];
  return secrets.filter((secret): secret is string => secret !== undefined && secret.length >= MIN_SECRET_LENGTH);
}

/** Every secret string of a run. */
export function secretsOf(spec: RunSpec): string[] {
  const secrets: (string | undefined)[] = secretsOfSource(spec.source);
  for (const { settings: output, drm } of spec.outputs) {
    const keys = drm === undefined ? [] : [drm, ...(drm.rotation?.periods ?? [])].flatMap((each) => each.keys);
    secrets.push(...keys.flatMap(({ key, iv }) => [key, iv ?? undefined]));
    secrets.push(output.stream_key ?? undefined, output.password ?? undefined, output.srt.passphrase ?? undefined);
    secrets.push(output.srt.streamid ?? undefined, output.access_key ?? undefined, output.secret_key ?? undefined);
    // Orders of earlier versions lack the block.
    secrets.push(output.rist?.secret ?? undefined);
    for (const url of [output.url, output.backup_url]) if (url !== null) secrets.push(...urlSecrets(url).slice(1));
  }
  return secrets.filter((secret): secret is string => secret !== undefined && secret.length >= MIN_SECRET_LENGTH);
}

function written(secret: string): string[] {
  const forms = [secret, encodeURIComponent(secret), encodeURI(secret)];
  try {
    forms.push(decodeURIComponent(secret));
  } catch {
    // A stray percent sign shows that the secret is no encoded text.
  }
  return forms;
}

export interface Redactor {
  redact: Redact;
  /** Hides the secrets of this spec, too, from now on: what was once a key is never shown again. */
  hide(spec: RunSpec): void;
}

export function redactorFor(spec: RunSpec): Redactor {
  const all = new Set<string>();
  // The longest come first: a key that contains another one must not leave its tail behind.
  let secrets: string[] = [];
  const hide = (from: RunSpec): void => {
    for (const secret of secretsOf(from).flatMap(written)) if (secret.length >= MIN_SECRET_LENGTH) all.add(secret);
    secrets = [...all].sort((a, b) => b.length - a.length);
  };
  hide(spec);
  return { redact: (text) => cleaned(text, secrets), hide };
}

/** Hides these secrets alone. */
export function redactorOf(secrets: readonly string[]): Redact {
  const all = [...new Set(secrets.flatMap(written))].filter((secret) => secret.length >= MIN_SECRET_LENGTH);
  all.sort((a, b) => b.length - a.length);
  return (text) => cleaned(text, all);
}

function cleaned(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) clean = clean.replaceAll(secret, HIDDEN);
  return clean.replace(/[a-z][a-z0-9+.-]*:\/\/[^\s'"<>]+/giu, maskDeliveryUrl).replace(FOLDERS, '$1');
}
