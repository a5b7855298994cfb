/** The push process serves HTTP on a unix socket in the Device's folder. Whoever can open the folder may give orders. */
import { rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { IngestEvent, IngestReport } from '../../domain/shapes/sources/ingest.ts';
import type { DeviceMessage } from '../../domain/ports/device-link.ts';
import type { PushOrders } from './push-paths.ts';

export interface PushApiDeps {
  reports(): IngestReport[];
  events(): readonly IngestEvent[];
  apply(orders: PushOrders): void;
}

/** Changes come in bursts; a watcher gets the last state of each. */
const GATHER_MS = 20;
/** A watcher that does not read is disconnected; it asks again. */
const MAX_UNREAD_BYTES = 4 << 20;

export class PushApi {
  private readonly deps: PushApiDeps;
  private readonly watchers = new Set<ServerResponse>();
  private pending: NodeJS.Timeout | undefined;

  constructor(deps: PushApiDeps) {
    this.deps = deps;
  }

  async open(path: string): Promise<void> {
    const server = createServer((request, response) => void this.answer(request, response));
    // A killed predecessor leaves its socket file behind, and bind(2) refuses a name that exists.
    rmSync(path, { force: true });
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
  }

  changed(): void {
    if (this.watchers.size === 0) return;
    this.pending ??= setTimeout(() => {
      this.pending = undefined;
      this.send({ type: 'ingests', ingests: this.deps.reports() });
    }, GATHER_MS);
  }

  event(event: IngestEvent): void {
    this.send({ type: 'ingest_event', event });
  }

  /** An empty line says that this process lives. */
  heartbeat(): void {
    this.write('\n');
  }

  private send(message: DeviceMessage): void {
    this.write(`${JSON.stringify(message)}\n`);
  }

  private write(line: string): void {
    for (const watcher of this.watchers) {
      if (watcher.writableLength > MAX_UNREAD_BYTES) watcher.destroy();
      else watcher.write(line);
    }
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    switch (`${request.method} ${request.url}`) {
      case 'GET /watch':
        return this.watch(response);
      case 'GET /ingests':
        return reply(response, 200, this.deps.reports());
      case 'PUT /orders':
        try {
          this.deps.apply((await bodyOf(request)) as PushOrders);
        } catch (error) {
          return reply(response, 500, { code: 'internal', detail: (error as Error).message });
        }
        return reply(response, 200, {});
      default:
        request.resume();
        return reply(response, 404, { code: 'not_found', detail: 'The push process has no such call.' });
    }
  }

  private watch(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    const messages: DeviceMessage[] = [
      { type: 'ingests', ingests: this.deps.reports() },
      ...this.deps.events().map((event) => ({ type: 'ingest_event' as const, event })),
    ];
    response.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
    this.watchers.add(response);
    response.once('close', () => this.watchers.delete(response));
    // The close event that follows removes the watcher.
    response.on('error', () => undefined);
  }
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}
