/** Media on a connection that an HTTP server has: one that has asked for something else before, such as a proxy's. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { busyAnswer, type MediaAnswer } from './answers.ts';
import { closeFd, mediaAnswer } from './media-answer.ts';
import type { MediaDeps } from './media-connection.ts';
import { piecesOf } from './pieces.ts';
import { givingTo } from './viewer-limits.ts';

/** Resolves when the answer is out, or its viewer is gone. */
export async function mediaOverHttp(
  incoming: IncomingMessage,
  response: ServerResponse,
  { deviceDir, clock, viewers, addressOf, sightings }: MediaDeps,
): Promise<void> {
  if (response.destroyed || incoming.socket.destroyed) return;
  const header = (name: string): string | undefined => incoming.headers[name]?.toString();
  const address = addressOf(incoming.socket, header);
  const refusal = viewers.enter(response, address);
  if (refusal !== undefined) return send(response, busyAnswer(refusal), true);
  const { method = 'GET', url: target = '/' } = incoming;
  const request = { method, target, header };
  const answer = await mediaAnswer(deviceDir, request, clock);
  sightings?.note(request, address, answer.status);
  await send(response, answer, false);
}

async function send(response: ServerResponse, answer: MediaAnswer, isLast: boolean): Promise<void> {
  try {
    response.writeHead(answer.status, isLast ? { ...answer.headers, connection: 'close' } : answer.headers);
    response.flushHeaders();
    for await (const piece of piecesOf(answer)) {
      const isOut = await givingTo(response).piece(
        () => new Promise((resolve) => response.write(piece, (error) => resolve(error == null))),
      );
      if (!isOut || response.destroyed) return;
    }
    response.end();
  } catch {
    // The file is gone, or shorter than announced: only the end of the connection can say so.
    response.destroy();
  } finally {
    if (answer.file !== undefined) closeFd(answer.file.fd);
  }
}
