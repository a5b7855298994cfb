/** Media of this site that a run on the platform needs there, under names that begin with the run's id. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { AppError } from '../../domain/base/errors.ts';
import type { RunSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import type { Platform } from './platform.ts';

export interface PlacedFiles {
  source?: string;
  fallback?: string;
  logo?: string;
}

const UPLOAD_MS = 280_000;
const BUCKETS = ['files', 'logos'] as const;

function filePrefix(runId: string): string {
  return `onair-${runId}-`;
}

/** Resolves with the names on the platform. */
export async function placeFiles(
  platform: Platform,
  { runId, source, fallback, picture }: RunSpec,
): Promise<PlacedFiles> {
  const place = (path: string, fileType: string): Promise<string> => upload(platform, runId, path, fileType);
  return {
    ...(source.path !== null && { source: await place(source.path, 'files') }),
    ...(fallback.path !== null && { fallback: await place(fallback.path, 'files') }),
    ...(picture.logo !== null && { logo: await place(picture.logo.path, 'logos') }),
  };
}

/** A conflict means that the same file is there already: an Asset is never written again under its name. */
async function upload(platform: Platform, runId: string, path: string, fileType: string): Promise<string> {
  const filename = `${filePrefix(runId)}${basename(path)}`;
  const form = new FormData();
  form.set('fileType', fileType);
  form.set('file', new Blob([await readFile(path)]), filename);
  await platform.call('POST', '/assets', { body: form, timeoutMs: UPLOAD_MS }).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'conflict') throw error;
  });
  return filename;
}

export async function removeFiles(platform: Platform, runId: string): Promise<void> {
  for (const fileType of BUCKETS) {
    const query = new URLSearchParams({ search: filePrefix(runId), fileType });
    const { rows } = await platform.call<{ rows: { filename: string }[] }>('GET', `/assets?${query}`);
    for (const { filename } of rows)
      await platform.call('DELETE', `/assets/${encodeURIComponent(filename)}?fileType=${fileType}`);
  }
}
