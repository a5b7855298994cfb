/**
 * The way of an ingest's ffmpeg to the web: a proxy on loopback that resolves each name itself and connects to the address that it has
 * checked. ffmpeg follows redirects and the addresses in playlists on its own; each of them comes by here.
 */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { bareHost, NetworkRefusal, type Reach } from '../../../domain/network/networks.ts';
import { CONNECTION_WORDS } from '../../media/ffmpeg-output/source-reason.ts';

/** ffmpeg's own request has some hundred bytes and the address. */
const MAX_HEAD_BYTES = 65_536;
const HEAD_END = '\r\n\r\n';
/** The mark tells our answers from those of a server; ffmpeg repeats the words behind a status. */
const MARK = 'onair:';

interface Destination {
  host: string;
  port: number;
}

export class WebProxy {
  private readonly server: Server;
  private readonly reach: Reach;
  private readonly sockets = new Set<Socket>();

  private constructor(reach: Reach) {
    this.reach = reach;
    this.server = createServer({ noDelay: true }, (client) => this.onConnection(client));
    // A connection that cannot be accepted fails in its client, which reports it.
    this.server.on('error', () => undefined);
  }

  static async open(reach: Reach): Promise<WebProxy> {
    const proxy = new WebProxy(reach);
    await new Promise<void>((resolve, reject) => {
      proxy.server.once('error', reject);
      proxy.server.listen(0, '127.0.0.1', resolve);
    });
    return proxy;
  }

  /** Value for ffmpeg's http_proxy. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private onConnection(client: Socket): void {
    this.track(client);
    let head = Buffer.alloc(0);
    const onData = (chunk: Buffer): void => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf(HEAD_END);
      if (end < 0) {
        if (head.length > MAX_HEAD_BYTES) client.destroy();
        return;
      }
      client.off('data', onData);
      client.pause();
      const line = head.subarray(0, head.indexOf('\r\n')).toString('latin1');
      if (line.startsWith('CONNECT ')) this.tunnel(client, line, head.subarray(end + HEAD_END.length));
      else this.forward(client, line, head);
    };
    client.on('data', onData);
  }

  private tunnel(client: Socket, line: string, rest: Buffer): void {
    const [, host, port] = /^CONNECT (\[[^\]]*\]|[^\s:]+):(\d{1,5}) /u.exec(line) ?? [];
    if (host === undefined) return refuse(client, 400, 'no host and port');
    this.meet(client, { host, port: Number(port) }, (server) => {
      client.write(`HTTP/1.1 200 ${MARK} connected${HEAD_END}`);
      if (rest.length > 0) server.write(rest);
      client.pipe(server);
    });
  }

  /** A kept connection asks one server alone; its answers are passed on as they are. */
  private forward(client: Socket, line: string, first: Buffer): void {
    const destination = destinationOf(line);
    if (destination === undefined) return refuse(client, 400, 'no address of the web');
    this.meet(client, destination, (server) => {
      let waiting = Buffer.alloc(0);
      const take = (chunk: Buffer): void => {
        waiting = Buffer.concat([waiting, chunk]);
        for (let end = waiting.indexOf(HEAD_END); end >= 0; end = waiting.indexOf(HEAD_END)) {
          const head = waiting.subarray(0, end + HEAD_END.length).toString('latin1');
          waiting = waiting.subarray(end + HEAD_END.length);
          const target = destinationOf(head);
          // ffmpeg only asks for media: no request has a body, and none is for another server than the first.
          if (target === undefined || target.host !== destination.host || target.port !== destination.port)
            return void client.destroy();
          server.write(originForm(head), 'latin1');
        }
        if (waiting.length > MAX_HEAD_BYTES) client.destroy();
      };
      client.on('data', take);
      client.on('end', () => server.end());
      take(first);
      client.resume();
    });
  }

  private meet(client: Socket, { host, port }: Destination, onConnect: (server: Socket) => void): void {
    const bare = bareHost(host);
    const fail = (error: NodeJS.ErrnoException): void => {
      if (error instanceof NetworkRefusal) refuse(client, 403, error.message);
      else refuse(client, 502, `${CONNECTION_WORDS[error.code ?? ''] ?? 'No route to host'} (${host}:${port})`);
    };
    try {
      this.reach.assertHost(bare);
    } catch (error) {
      return fail(error as Error);
    }
    const server = connect({ host: bare, port, lookup: this.reach.lookup, noDelay: true });
    this.track(server);
    server.once('error', fail);
    server.once('connect', () => {
      server.off('error', fail);
      server.on('error', () => client.resetAndDestroy());
      server.pipe(client);
      onConnect(server);
    });
    client.once('close', () => server.destroy());
  }

  private track(socket: Socket): void {
    this.sockets.add(socket);
    // The close event that follows forgets the socket, and its other end is told by its own.
    socket.on('error', () => undefined);
    socket.once('close', () => this.sockets.delete(socket));
  }
}

function refuse(client: Socket, status: number, reason: string): void {
  const words = reason.replace(/[^\u0020-\u007e]/gu, '?');
  client.end(`HTTP/1.1 ${status} ${MARK} ${words}\r\nContent-Length: 0\r\nConnection: close${HEAD_END}`);
}

/** Reads a request line in absolute form (RFC 9112 §3.2.2). */
function destinationOf(line: string): Destination | undefined {
  const [, host, port] = /^(?:GET|HEAD) http:\/\/(\[[^\]]*\]|[^\s/?#:@]+)(?::(\d{1,5}))?(?=[\s/?#])/u.exec(line) ?? [];
  if (host === undefined || Number(port ?? 80) > 65_535) return undefined;
  return { host: host.toLowerCase(), port: Number(port ?? 80) };
}

/** Plain servers know no other form. */
function originForm(head: string): string {
  return head.replace(/^(\w+) http:\/\/[^\s/?#]*(\S*)/u, (_, method: string, path: string) =>
    path.startsWith('/') ? `${method} ${path}` : `${method} /${path}`,
  );
}

/** The proxy's answer that ffmpeg repeats in this stderr; `isRefused` when the rules were its reason. */
export function proxyAnswer(stderr: string): { words: string; isRefused: boolean } | undefined {
  const [, status, words] = [...stderr.matchAll(/HTTP error (\d+) onair: (.+)$/gmu)].at(-1) ?? [];
  return words === undefined ? undefined : { words, isRefused: status === '403' };
}
