import { assetOutput, filenameField, type Asset } from '../../shapes/media/asset.ts';
import { AppError, invalidInput } from '../../base/errors.ts';
import type { Livestream } from '../../shapes/broadcasts/livestream.ts';
import { defineResource, type ResourceUser } from '../../ports/resource.ts';
import type { BoundAsset } from '../../shapes/broadcasts/run.ts';
import type { Found, View } from '../../ports/store.ts';
import type { NamedFile } from '../../shapes/changes/change-row.ts';
import type { ActionBody } from '../../shapes/schedules/planned-action.ts';
import { actionUsers, changeUsers, distinctUsers } from '../rows/resource-users.ts';
import { ASSET_TYPES } from '../../types/channel-questions.ts';

/** Assets are addressed by bucket and filename; the id serves the store alone. */
export const assetResource = defineResource({
  collection: 'assets',
  noun: 'Asset',
  idParam: 'filename',
  shape: {},
  output: assetOutput,
  shortFields: ['id', 'filename', 'fileType', 'size_bytes', 'duration_seconds', 'width', 'height'],
  filters: {},
  present: (row) => row,
});

/** Answers the one row of a find by bucket and filename; throws AppError not_found. */
export function findAsset({ rows }: Found<Asset>, fileType: string, filename: string): Readonly<Asset> {
  const [row] = rows;
  if (row !== undefined) return row;
  throw new AppError(
    'not_found',
    `There is no Asset ${JSON.stringify(filename)} in the bucket ${fileType}. List the bucket with listAssets.`,
    {
      facts: { resource: 'Asset', fileType, filename },
    },
  );
}

/**
 * The ETag of an Asset is its id: content is never replaced, and the same name with other content is another Asset with another id. So it
 * stands for the content too, while the row's own version would repeat. Throws AppError version_mismatch.
 */
export function assertEdition({ id, filename }: Readonly<Asset>, expected: readonly number[] | undefined): void {
  if (expected?.includes(id) !== false) return;
  throw new AppError(
    'version_mismatch',
    `Asset ${JSON.stringify(filename)} is another one than was read: its ETag is "${id}". Read it again and repeat the change.`,
    { facts: { etag: `"${id}"` } },
  );
}

export function assetConflict(fileType: string, filename: string): AppError {
  const detail = `The bucket ${fileType} has an Asset ${JSON.stringify(filename)} already. Delete it first or choose another name.`;
  return new AppError('conflict', detail, { facts: { field: 'filename', value: filename } });
}

/** Base64 travels inside a JSON message that is in memory several times over; larger files come as multipart over REST. */
const BASE64_MAX_BYTES = 8_000_000;

/** Limit of Linux file systems. */
const NAME_MAX_BYTES = 255;

interface Given {
  filename?: string | undefined;
  content_base64?: string | undefined;
}
interface Content {
  filename: string;
  content: ReadableStream<Uint8Array>;
}
type Progress = (done: number, total: number, message: string) => void;
/** Often enough that a person sees progress. */
const PROGRESS_BYTES = 1024 * 1024;

/** Answers content that came beside the arguments or within them; throws AppError invalid_input or too_large. */
export function uploadOf({ filename, content_base64: base64 }: Given, upload: Content | undefined): Content {
  if ((upload === undefined) === (base64 === undefined)) {
    const problem = upload === undefined ? 'neither was sent' : 'both were sent';
    throw invalidInput([
      { field: 'content_base64', code: 'one_of', message: `send a file (multipart) or content_base64; ${problem}` },
    ]);
  }
  const parsedName = filenameField.safeParse(filename ?? upload?.filename);
  if (!parsedName.success) {
    throw invalidInput(parsedName.error.issues.map(({ code, message }) => ({ field: 'filename', code, message })));
  }
  // A character takes up to four bytes, and file systems count those.
  if (Buffer.byteLength(parsedName.data) > NAME_MAX_BYTES) {
    const message = `has ${Buffer.byteLength(parsedName.data)} bytes in UTF-8; at most ${NAME_MAX_BYTES} fit`;
    throw invalidInput([{ field: 'filename', code: 'too_long', message, max: NAME_MAX_BYTES }]);
  }
  if (upload !== undefined) return { filename: parsedName.data, content: upload.content };
  return { filename: parsedName.data, content: decoded(base64 ?? '') };
}

/** Passes the same content on and reports how much has passed. `total` is the size where it is known, else the bytes so far. */
export function counted(content: ReadableStream<Uint8Array>, progress: Progress, total = 0): typeof content {
  let done = 0;
  let reportedBytes = 0;
  const tell = (): void => {
    reportedBytes = done;
    progress(done, Math.max(done, total), `${done} bytes received`);
  };
  return content.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        done += chunk.byteLength;
        if (done - reportedBytes >= PROGRESS_BYTES) tell();
        controller.enqueue(chunk);
      },
      flush: () => void (done > reportedBytes && tell()),
    }),
  );
}

function decoded(base64: string): ReadableStream<Uint8Array> {
  const text = base64.replace(/\s+/gu, '');
  const size = Math.floor((text.replace(/={1,2}$/u, '').length * 3) / 4);
  if (size > BASE64_MAX_BYTES) {
    const detail = `content_base64 holds ${size} bytes; at most ${BASE64_MAX_BYTES} fit. Upload larger files as multipart over REST: POST /assets.`;
    throw new AppError('too_large', detail, { facts: { max_bytes: BASE64_MAX_BYTES } });
  }
  const bytes = Buffer.from(text, 'base64');
  // Buffer skips characters that are no base64 without an error, so a wrong alphabet shows as missing bytes.
  if (bytes.length !== size)
    throw invalidInput([{ field: 'content_base64', code: 'invalid_format', message: 'is not base64' }]);
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}

function optionFiles({ logo, fallback }: ActionBody<'options'>): NamedFile[] {
  return [
    { field: 'logo.filename', fileType: 'logos', filename: logo?.filename },
    { field: 'fallback.filename', fileType: 'files', filename: fallback?.filename },
  ];
}

/** Channels and Live streams that would lose their file, and those whose run was started with it, whatever is bound now. */
export function assetUsers(view: View, fileType: string, filename: string): ResourceUser[] {
  const isNamed = (file: NamedFile): boolean => file.fileType === fileType && file.filename === filename;
  const planned = [
    ...changeUsers(view, (row, body) => row.files(body).some(isNamed)),
    ...actionUsers(view, 'options', (options) => optionFiles(options).some(isNamed)),
  ];
  return distinctUsers([
    ...boundUsers(view, fileType, filename),
    ...playingUsers(view, fileType, filename),
    ...planned,
  ]);
}

function boundUsers(view: View, fileType: string, filename: string): ResourceUser[] {
  if (fileType === 'logos') {
    const shown = view.find('livestreams', {}).rows.filter(({ logo }) => logo?.filename === filename);
    return shown.map((row) => ({ resource: 'Live stream', id: row.id, name: row.name }));
  }
  if (fileType !== 'files') return [];
  const played = view
    .find('channels', { where: { type: { in: ASSET_TYPES } } })
    .rows.filter(({ settings }) => settings.filename === filename);
  const fallbacks = view.find('livestreams', {}).rows.filter(({ fallback }) => fallback.filename === filename);
  return [
    ...played.map((row) => ({ resource: 'Channel', id: row.id, name: row.name })),
    ...fallbacks.map((row) => ({ resource: 'Live stream', id: row.id, name: row.name })),
  ];
}

function playingUsers(view: View, fileType: string, filename: string): ResourceUser[] {
  const { rows } = view.find('runs', { where: { status: { in: [1, 2] } } });
  return rows
    .filter(({ boundAssets }) => boundAssets?.some((file) => file.fileType === fileType && file.filename === filename))
    .map(({ id }) => ({ resource: 'Live stream', id, name: view.get('livestreams', id)?.name ?? '' }));
}

/** The files that a run of the Live stream uses, as it is bound now. */
export function assetsOf(view: View, { channelId, fallback, logo }: Readonly<Livestream>): BoundAsset[] {
  const source = view.get('channels', channelId)?.settings.filename;
  return [
    ...(source ? [{ fileType: 'files', filename: source, use: 'source' } as const] : []),
    ...(fallback.filename ? [{ fileType: 'files', filename: fallback.filename, use: 'fallback' } as const] : []),
    ...(logo?.filename ? [{ fileType: 'logos', filename: logo.filename, use: 'logo' } as const] : []),
  ];
}
