/** Attacks that only a raw connection can make: requests that are no HTTP, that are cut, that hang, that come all at once. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from './random.ts';

export interface Wire {
  kind: string;
  text: string | Buffer;
  /** After the text: wait for what comes, send FIN and wait, or hang up. */
  then: 'wait' | 'half' | 'cut';
  /** How many answers must come; undefined: any number. */
  answers?: number;
}

const CRLF = '\r\n';

export function rawRequests(random: Random, token: string): { next(): Wire } {
  const call = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'getAllChannels', arguments: {}, _meta: { progressToken: 1 } },
  });
  const accept = 'Accept: application/json, text/event-stream';
  const head = (line: string, ...fields: string[]): string =>
    [line, 'Host: localhost', `Authorization: Bearer ${token}`, ...fields, '', ''].join(CRLF);
  const post = (body: string, ...fields: string[]): string =>
    head('POST /mcp HTTP/1.1', 'Content-Type: application/json', accept, ...fields) + body;
  const sized = (body: string, length = body.length): string => post(body, `Content-Length: ${length}`);
  const rest = (body: string, ...fields: string[]): string =>
    head('POST /svcapiv2/channels HTTP/1.1', 'Content-Type: application/json', ...fields) + body;
  const get = head('GET /svcapiv2/channels HTTP/1.1');
  const last = 'Connection: close';
  const WIRES: readonly Wire[] = [
    { kind: 'no HTTP at all', text: Buffer.from('160301020001000100fc0303', 'hex'), then: 'wait', answers: 1 },
    { kind: 'no Host', text: `GET /healthz HTTP/1.1${CRLF}${CRLF}`, then: 'wait', answers: 1 },
    {
      kind: 'a Host that is none',
      text: `GET /healthz HTTP/1.1${CRLF}Host: a b${CRLF}${last}${CRLF}${CRLF}`,
      then: 'wait',
      answers: 1,
    },
    { kind: 'two Hosts', text: head('GET /healthz HTTP/1.1', 'Host: evil.example', last), then: 'wait', answers: 1 },
    { kind: 'the target *', text: head('OPTIONS * HTTP/1.1', last), then: 'wait', answers: 1 },
    { kind: 'a backslash', text: head('GET /svcapiv2\\channels HTTP/1.1', last), then: 'wait', answers: 1 },
    {
      kind: 'an absolute target',
      text: head('GET http://evil.example/svcapiv2/channels HTTP/1.1', last),
      then: 'wait',
      answers: 1,
    },
    {
      kind: 'both lengths',
      text: post('0\r\n\r\n', 'Content-Length: 5', 'Transfer-Encoding: chunked'),
      then: 'wait',
      answers: 1,
    },
    { kind: 'two lengths', text: post('{}', 'Content-Length: 2', 'Content-Length: 3'), then: 'wait', answers: 1 },
    { kind: 'a negative length', text: post('{}', 'Content-Length: -2'), then: 'wait', answers: 1 },
    {
      kind: 'a chunk that is none',
      text: post('zz\r\n{}\r\n', 'Transfer-Encoding: chunked'),
      then: 'wait',
      answers: 1,
    },
    { kind: 'a field without a name', text: head('GET /healthz HTTP/1.1', ': x', last), then: 'wait', answers: 1 },
    {
      kind: 'a field over two lines',
      text: head('GET /healthz HTTP/1.1', 'X-A: 1\r\n 2', last),
      then: 'wait',
      answers: 1,
    },
    {
      kind: 'fields of 40 KB',
      text: head('GET /healthz HTTP/1.1', `X-A: ${'a'.repeat(40_000)}`),
      then: 'wait',
      answers: 1,
    },
    {
      kind: 'two credentials',
      text: head('GET /svcapiv2/channels HTTP/1.1', 'Authorization: Bearer x', last),
      then: 'wait',
      answers: 1,
    },
    { kind: 'a tunnel', text: head('CONNECT evil.example:443 HTTP/1.1'), then: 'wait' },
    {
      kind: 'another protocol',
      text: head('GET /mcp HTTP/1.1', 'Connection: Upgrade', 'Upgrade: websocket'),
      then: 'wait',
      answers: 1,
    },
    {
      kind: 'an expectation',
      text: post('{}', 'Expect: nonsense', 'Content-Length: 2', last),
      then: 'wait',
      answers: 1,
    },
    // Node ends a connection whose other side has ended: an answer may come, and need not.
    { kind: 'a call, then FIN', text: sized(call), then: 'half' },
    { kind: 'half a body, then FIN', text: sized(call.slice(0, 20), call.length), then: 'half', answers: 1 },
    { kind: 'half a body over REST, then FIN', text: rest('{"na', 'Content-Length: 50'), then: 'half', answers: 1 },
    { kind: 'half a body, then gone', text: sized(call.slice(0, 20), call.length), then: 'cut' },
    { kind: 'half a chunked body, then gone', text: post('5\r\n{"js', 'Transfer-Encoding: chunked'), then: 'cut' },
    { kind: 'half a body over REST, then gone', text: rest('{"na', 'Content-Length: 50'), then: 'cut' },
    {
      kind: 'half an upload, then gone',
      text:
        head('POST /svcapiv2/assets HTTP/1.1', 'Content-Type: multipart/form-data; boundary=x', 'Content-Length: 500') +
        '--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nabc',
      then: 'cut',
    },
    { kind: 'a call, then gone', text: sized(call), then: 'cut' },
    {
      kind: 'ten calls at once',
      text: sized(call).repeat(9) + post(call, `Content-Length: ${call.length}`, last),
      then: 'wait',
      answers: 10,
    },
    {
      kind: 'ten reads at once',
      text: get.repeat(9) + head('GET /svcapiv2/channels HTTP/1.1', last),
      then: 'wait',
      answers: 10,
    },
    { kind: 'a read, then no HTTP', text: `${get}\u0000\u0001\u0002${CRLF}${CRLF}`, then: 'wait' },
    { kind: 'half the fields, then gone', text: get.slice(0, 40), then: 'cut' },
  ];
  return { next: () => random.pick(WIRES) };
}

/** For a connection that the server keeps for the next request. */
const KEPT_MS = 8000;
/** For an answer that must come, on a machine that runs much else. */
const BOUND_MS = 60_000;

/** The bytes that came back until the server closed, or a while after the last bytes. */
export async function exchange(port: number, { text, then, answers = 0 }: Wire): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let came = '';
  socket.setNoDelay(true);
  socket.on('data', (chunk: Buffer) => (came += chunk.toString()));
  // It may be refused while it is still being sent.
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(text);
  if (then === 'half') socket.end();
  if (then === 'cut') setTimeout(() => socket.destroy(), 5);
  await Promise.race([closed, sleep(KEPT_MS, undefined, { ref: false })]);
  if (answers > 0 && came === '') await Promise.race([closed, sleep(BOUND_MS, undefined, { ref: false })]);
  socket.destroy();
  return came;
}

/** Bodies that come a byte a second: they hold a connection until the server has had enough. */
export function trickle(port: number, path: string, token: string): { socket: Socket; answer: Promise<string> } {
  const socket = connect(port, '127.0.0.1');
  let came = '';
  socket.on('data', (chunk: Buffer) => (came += chunk.toString()));
  socket.on('error', () => undefined);
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{`,
  );
  const timer = setInterval(() => socket.write(' '), 1000);
  const answer = new Promise<string>((resolve) => {
    socket.once('close', () => {
      clearInterval(timer);
      resolve(came);
    });
  });
  return { socket, answer };
}
