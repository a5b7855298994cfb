/** Signed links to the media of a Recording, opened by path on the page's own origin: a proxy may have put both below any path. */
import { call, dataIn } from '../../../api/call.ts';
import { API_ROOT } from '../../../api/client.ts';
import type { DataOf } from '../../../api/operation-types.ts';

export type MediaLink = DataOf<'createRecordingDownload'>;

/** A day at the longest; a page that is open longer asks again. */
const PLAY_SECONDS = 12 * 3600;
const API_PATH = '/svcapiv2/';

function ownAddress(url: string, root: string): string {
  const { pathname, search } = new URL(url, root);
  const place = pathname.indexOf(API_PATH);
  return place === -1
    ? new URL(pathname + search, root).href
    : `${root}/${pathname.slice(place + API_PATH.length)}${search}`;
}

/** `part` counts from 1. Rejects with ProblemError. */
export async function askLink(recordingId: number, part: number, seconds = PLAY_SECONDS): Promise<MediaLink> {
  const { body } = await call('createRecordingDownload', {
    params: { recordingId },
    body: { part, expires_in: seconds },
  });
  return dataIn(body) as MediaLink;
}

export async function askAddress(recordingId: number, part: number): Promise<string> {
  return ownAddress((await askLink(recordingId, part)).url, API_ROOT);
}

/** The browser saves it under the name that the server gives. */
export async function download(recordingId: number, part: number): Promise<void> {
  const { url, filename } = await askLink(recordingId, part, 3600);
  save(ownAddress(url, API_ROOT), filename);
}

function save(address: string, filename: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = filename;
  link.click();
}

/** Seconds of a file, read from its head. Rejects where the browser cannot read it. */
export function lengthOf(address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = document.createElement('video');
    probe.preload = 'metadata';
    probe.onloadedmetadata = () => {
      resolve(probe.duration);
      probe.removeAttribute('src');
    };
    probe.onerror = () => reject(new Error(probe.error?.message ?? 'The file could not be read.'));
    probe.src = address;
  });
}
