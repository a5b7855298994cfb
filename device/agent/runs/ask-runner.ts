/** Calls that the agent passes on to a living runner: changes on air, previews and pictures. */
import { AppError } from '../../../domain/base/errors.ts';
import type { SentPicture } from '../../../domain/shapes/broadcasts/live-picture.ts';
import type { RunChange } from '../../../domain/shapes/changes/run-change.ts';
import type { RunReport } from '../../../domain/shapes/broadcasts/run.ts';
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { callSocket, SocketTimeout, toAppError, type SocketCall } from '../../socket-http.ts';

export interface Preview {
  /** The JPEG in base64. */
  jpeg: string;
}

/** A new source has 5 s for its first picture. It is a little less than the link's own limit, so that this answer gets through. */
const CHANGE_MS = 8000;
/** The runner bounds what renders a preview to 15 s (device/runner/playout/preview.ts). */
const PREVIEW_MS = 17_000;
/** A runner that hangs for longer is told again. */
const GRANT_MS = 2000;
/** A later picture shows nothing that is new; one of copied video takes a second, on a busy machine more. */
const PICTURE_MS = 4000;

/** Rejects with AppError: unavailable, timeout, or the runner's own reason. */
export function changeRun(
  socket: string,
  change: RunChange,
  changeId?: string,
): Promise<{ report: RunReport; spec: RunSpec }> {
  return ask<{ report: RunReport; spec: RunSpec }>({
    socket,
    method: 'POST',
    path: '/change',
    body: { change, changeId },
    timeoutMs: CHANGE_MS,
  });
}

/** The run may deliver until some seconds after that instant. */
export async function grantRun(socket: string, askedMs: number): Promise<void> {
  await ask({ socket, method: 'POST', path: '/lease', body: { asked_ms: askedMs }, timeoutMs: GRANT_MS });
}

export function previewRun(socket: string, width: number): Promise<Preview> {
  return ask<Preview>({ socket, method: 'GET', path: `/preview?width=${width}`, timeoutMs: PREVIEW_MS });
}

export function pictureOfRun(socket: string, width: number): Promise<SentPicture> {
  return ask<SentPicture>({ socket, method: 'GET', path: `/picture?width=${width}`, timeoutMs: PICTURE_MS });
}

async function ask<T>(call: SocketCall): Promise<T> {
  let reply;
  try {
    reply = await callSocket(call);
  } catch (error) {
    if (error instanceof SocketTimeout)
      throw new AppError('timeout', `The encoder did not answer within ${call.timeoutMs / 1000} s.`, { cause: error });
    throw new AppError('unavailable', 'The encoder is being started again; try once more in a moment.', {
      cause: error,
    });
  }
  if (reply.status >= 400) throw toAppError(reply.body);
  return reply.body as T;
}
