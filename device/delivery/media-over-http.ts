/** Media on a connection that an HTTP server has: one that has asked for something else before, such as a proxy's. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { busyAnswer, type MediaAnswer } from './answers.ts';
import { isReport, readReport, reportOf, type Report } from './audience/cmcd-report.ts';
import { closeFd, mediaAnswer } from './media-answer.ts';
import { HEAD_MS, type MediaDeps } from './media-connection.ts';
import { piecesOf } from './pieces.ts';
import { givingTo } from './viewer-limits.ts';

/** Resolves when the answer is out, or its viewer is gone. */
export async function mediaOverHttp(
  incoming: IncomingMessage,
  response: ServerResponse,
  deps: MediaDeps,
): Promise<void> {
  const { clock, viewers, addressOf, sightings } = deps;
  if (response.destroyed || incoming.socket.destroyed) return;
  const header = (name: string): string | undefined => incoming.headers[name]?.toString();
  const address = addressOf(incoming.socket, header);
  const refusal = viewers.enter(response, address);
  if (refusal !== undefined) return send(response, busyAnswer(refusal), true);
  const { method = 'GET', url: target = '/' } = incoming;
  let report: Report | undefined;
  if (isReport({ method, target })) {
    const content = await readReport(incoming, clock, HEAD_MS);
    if (content === undefined) return;
    report = reportOf(incoming.socket, content, clock.now());
  }
  const request = { method, target, header, report };
  const answer = await mediaAnswer(deps, request);
  sightings?.note(request, address, answer.status);
  // The rest of a report that is too long is not read.
  await send(response, answer, answer.status === 413);
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
