/** Requests that reach no API, because they are no valid HTTP, are refused in the form of all refusals. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../domain/base/errors.ts';
import { problemReply } from './replies.ts';

/** The adapter cannot make a Request of an invalid Host or target. Any other error is our own fault. */
export function malformedReply(error: unknown): Response {
  const isClientFault = error instanceof Error && error.name === 'RequestError';
  return problemReply(
    isClientFault ? malformed('Its target or its Host header is not valid.') : error,
    crypto.randomUUID(),
  );
}

/** Answers requests that Node's parser gives up on, in place of its empty 400; the connection is of no further use then. */
export function answerMalformed(server: Pick<Server, 'on'>): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => void refuse(error, socket as Socket));
}

async function refuse({ code = '' }: NodeJS.ErrnoException, socket: Socket): Promise<void> {
  // The answer to an earlier request on this connection may be half out: nothing can be put between.
  if (code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) return void socket.destroy();
  const reply = problemReply(refusalOf(code), crypto.randomUUID(), { Connection: 'close' });
  const body = await reply.text();
  const fields = [...reply.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const title = reply.status === 413 ? 'Content Too Large' : 'Bad Request';
  socket.end(`HTTP/1.1 ${reply.status} ${title}\r\n${fields}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** Node keeps the answer that it is writing on the socket, and checks it there for the same reason. */
function isAnswering(socket: Socket): boolean {
  return (socket as { _httpMessage?: { headersSent: boolean } })._httpMessage?.headersSent === true;
}

function refusalOf(code: string): AppError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new AppError('too_large', 'The request line and the headers are longer than 16 KB together.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return malformed('Its headers did not arrive in time.');
  if (code === 'HPE_INVALID_EOF_STATE') return malformed('It ended before it was complete.');
  return malformed('It is not valid HTTP/1.1.');
}

function malformed(why: string): AppError {
  return new AppError('invalid_input', `The request cannot be read. ${why}`);
}
