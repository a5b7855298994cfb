/** Signed links open the files of Recordings without a token. */
import { Hono, type Context } from 'hono';
import { AppError, notFound } from '../../domain/base/errors.ts';
import type { Recording, RecordingFiles } from '../../domain/shapes/media/recording.ts';
import { downloadName, mediaType } from '../../domain/rules/media/recording.ts';
import { called } from '../../domain/base/sentence.ts';
import type { Clock } from '../../domain/time/clock.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { SignedLinks } from '../../domain/shapes/installation/system.ts';
import { fileReply } from '../files.ts';
import { serveReads } from '../methods.ts';
import { problemReply, requestIdOf } from '../replies.ts';
import { PREFIX } from '../routes.ts';

export interface DownloadDeps {
  store: Pick<Store, 'get'>;
  files: RecordingFiles;
  links: SignedLinks;
  clock: Pick<Clock, 'now'>;
}

export function downloadApp(deps: DownloadDeps): Hono {
  const app = new Hono();
  const answer = async (context: Context): Promise<Response> => {
    const request = context.req.raw;
    const requestId = requestIdOf(request);
    try {
      return await send(
        deps,
        request,
        Number(context.req.param('recordingId')),
        Number(context.req.param('part') ?? 1),
      );
    } catch (error) {
      return problemReply(error, requestId);
    }
  };
  serveReads(app, `${PREFIX}/recordings/:recordingId{[0-9]+}/file`, answer);
  serveReads(app, `${PREFIX}/recordings/:recordingId{[0-9]+}/file/:part{[0-9]+}`, answer);
  return app;
}

async function send(
  { store, files, links, clock }: DownloadDeps,
  request: Request,
  recordingId: number,
  part: number,
): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  if (!links.isGood(pathname, searchParams.get('expires'), searchParams.get('signature'))) throw refusal();
  const row = (await store.get('recordings', recordingId))?.row;
  if (row === undefined) throw notFound('Recording', recordingId);
  const leftMs = Number(searchParams.get('expires')) * 1000 - clock.now();
  const inBucket = await files.linkTo(row, part, Math.max(1, Math.ceil(leftMs / 1000)));
  if (inBucket !== undefined) return elsewhere(request, inBucket, row, part);
  const opened = await files.open(row, request.signal);
  try {
    const path = opened.files[part - 1];
    if (path === undefined) throw new AppError('not_found', `${called('Recording', row)} has no file ${part}.`);
    const file = { path, contentType: mediaType(row), filename: downloadName(row, part) };
    return await fileReply(request, file, requestIdOf(request), etagOf(row, part));
  } finally {
    // An open file stays readable: where it was brought here for this answer, only its name goes.
    await opened.release();
  }
}

/** The bucket takes the address for GET alone. */
function elsewhere(request: Request, url: string, row: Readonly<Recording>, part: number): Response {
  const headers = { 'Cache-Control': 'no-store', 'X-Request-Id': requestIdOf(request) };
  if (request.method !== 'HEAD') return new Response(null, { status: 302, headers: { ...headers, Location: url } });
  const bytes = String(row.objects?.whole?.[part - 1]?.bytes ?? 0);
  const facts = {
    'Content-Type': mediaType(row),
    'Content-Length': bytes,
    'Accept-Ranges': 'bytes',
    ETag: etagOf(row, part),
  };
  return new Response(null, { headers: { ...headers, ...facts } });
}

/** A finished Recording never changes, so the same bytes have the same tag wherever they were brought from. */
function etagOf({ id, ended_at, size_bytes }: Readonly<Recording>, part: number): string {
  return `"${id}.${part}-${Date.parse(ended_at ?? '').toString(36)}-${size_bytes.toString(36)}"`;
}

/** All refusals have one text: who did not get the link must not learn what exactly is wrong with it. */
function refusal(): AppError {
  return new AppError(
    'forbidden',
    'This link is not valid, or no longer. Ask for a new one with createRecordingDownload.',
  );
}
