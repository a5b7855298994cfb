/** Manifests that are zipped or carry a token: each version is made once for all viewers that ask for it. */
import { read } from 'node:fs';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { deltaPlaylist } from './live/delta-playlist.ts';
import { manifestWithToken, playlistWithToken } from './tokened-manifest.ts';

interface ManifestFile {
  fd: number;
  size: number;
  /** The entity tag names the file and its version. */
  etag: string;
  type: string;
}

export interface Form {
  /** The token that every address in the manifest carries on; undefined when none does. */
  token: string | undefined;
  gzip: boolean;
  /** Without the segments that the player knows already. */
  skip?: boolean;
}

/** Each manifest on air changes every second or so: these are the versions of the last moments. */
const MAX_KEPT = 64;
/** A manifest that reaches a day back has some 8 MB, that of the usual minute 10 KB. */
const MAX_KEPT_BYTES = 16 << 20;

const readFd = promisify(read);
const zip = promisify<Buffer, Buffer>(gzip);
const manifests = new Map<string, Promise<Buffer>>();
let manifestBytes = 0;

/** Other viewers share the bytes, so nobody may change them. Rejects with the error of the filesystem. */
export function madeManifest(file: ManifestFile, form: Form): Promise<Buffer> {
  const key = `${file.etag} ${form.gzip} ${form.token ?? ''}`;
  const cached = manifests.get(key);
  if (cached !== undefined) return cached;
  const manifest = make(file, form);
  manifests.set(key, manifest);
  manifest.then(
    (content) => keep(key, content.length),
    () => manifests.delete(key),
  );
  return manifest;
}

const sizes = new Map<string, number>();

function keep(key: string, size: number): void {
  sizes.set(key, size);
  manifestBytes += size;
  for (const [oldest, bytes] of sizes) {
    if (sizes.size <= MAX_KEPT && manifestBytes <= MAX_KEPT_BYTES) return;
    sizes.delete(oldest);
    manifests.delete(oldest);
    manifestBytes -= bytes;
  }
}

async function make({ fd, size, type }: ManifestFile, form: Form): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await readFd(fd, buffer, filled, size - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return formed(buffer.subarray(0, filled), type, form);
}

/** Returns the manifest in a form for viewers. */
export async function formed(manifest: Buffer, type: string, { token, gzip: zipped, skip }: Form): Promise<Buffer> {
  const list = skip === true ? Buffer.from(deltaPlaylist(manifest.toString('utf8'))) : manifest;
  const carry = type === 'application/dash+xml' ? manifestWithToken : playlistWithToken;
  const content = token === undefined ? list : Buffer.from(carry(list.toString('utf8'), token));
  return zipped ? zip(content) : content;
}
