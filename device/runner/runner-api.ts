/** The API of a run: HTTP over a unix socket in its private directory. Whoever can open the directory may give orders. */
import { rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { AppError, wordsOf } from '../../domain/base/errors.ts';
import { sentPicture, type LivePicture } from '../../domain/shapes/broadcasts/live-picture.ts';
import type { RunChange } from '../../domain/shapes/changes/run-change.ts';
import type { RunReport } from '../../domain/shapes/broadcasts/run.ts';
import type { RunSpec } from '../../domain/shapes/broadcasts/run-spec.ts';

export interface RunnerApiHandlers {
  report(): RunReport;
  stop(): void;
  /** An agent has come behind another, which was there until so many milliseconds ago. */
  adopted(awayMs: number): void;
  /** A server has answered the question of that instant with a lease. */
  grant(askedMs: number): void;
  /** Takes a further run into this process. Rejects with the reason why not. */
  take(runId: string): Promise<void>;
  /** Rejects with AppError. */
  change(change: RunChange, changeId?: string): Promise<{ report: RunReport; spec: RunSpec }>;
  preview(width: number): Promise<Buffer>;
  picture(width: number): Promise<LivePicture>;
}

/** Changes come in bursts (a start changes ten things at once); a watcher gets the last state of each. */
const GATHER_MS = 20;
/** A watcher that does not read is disconnected; it asks again. */
const MAX_UNREAD_BYTES = 1 << 20;

export class RunnerApi {
  private readonly handlers: RunnerApiHandlers;
  private readonly path: string;
  private readonly server: Server;
  private readonly watchers = new Set<ServerResponse>();
  private pending: NodeJS.Timeout | undefined;
  /** Instant of performance.now() at which a watcher left last. */
  private leftAt = performance.now();

  constructor(path: string, handlers: RunnerApiHandlers) {
    this.path = path;
    this.handlers = handlers;
    this.server = createServer((request, response) => this.answer(request, response));
    // A connection may rest while its owner has nothing to ask.
    this.server.keepAliveTimeout = 60_000;
  }

  async open(): Promise<void> {
    // A killed predecessor leaves its socket file behind, and bind(2) refuses a name that exists.
    rmSync(this.path, { force: true });
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(this.path, resolve);
    });
  }

  changed(): void {
    if (this.watchers.size === 0) return;
    this.pending ??= setTimeout(() => this.notify(), GATHER_MS);
  }

  /** Sends the final report to every watcher, then closes. */
  async close(finalReport: RunReport): Promise<void> {
    clearTimeout(this.pending);
    for (const watcher of this.watchers) watcher.end(`${JSON.stringify(finalReport)}\n`);
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      this.server.closeIdleConnections();
      setTimeout(resolve, 200).unref();
    });
    this.server.closeAllConnections();
  }

  private notify(): void {
    this.pending = undefined;
    const line = `${JSON.stringify(this.handlers.report())}\n`;
    for (const watcher of this.watchers) {
      if (watcher.writableLength > MAX_UNREAD_BYTES) watcher.destroy();
      else watcher.write(line);
    }
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    if (!hasBody(request)) request.resume();
    switch (`${request.method} ${request.url?.split('?')[0]}`) {
      case 'GET /report':
        return this.send(response, 200, this.handlers.report());
      case 'GET /watch':
        return this.watch(response);
      case 'POST /stop':
        this.send(response, 202, { accepted: true });
        return this.handlers.stop();
      case 'POST /adopted':
        this.handlers.adopted(performance.now() - this.leftAt);
        return this.send(response, 200, {});
      case 'POST /change':
        return this.answerLater(response, async () => {
          const { change, changeId } = await readJson<{ change: RunChange; changeId?: string }>(request);
          return this.handlers.change(change, changeId);
        });
      case 'POST /lease':
        return this.answerLater(response, async () => {
          this.handlers.grant((await readJson<{ asked_ms: number }>(request)).asked_ms);
          return {};
        });
      case 'POST /take':
        return this.answerLater(response, async () => {
          const { runId } = await readJson<{ runId: string }>(request);
          await this.handlers.take(runId);
          return {};
        });
      case 'GET /preview':
        return this.answerLater(response, async () => ({
          jpeg: (await this.handlers.preview(widthIn(request))).toString('base64'),
        }));
      case 'GET /picture':
        return this.answerLater(response, async () => sentPicture(await this.handlers.picture(widthIn(request))));
      default:
        return this.send(response, 404, {
          error:
            'The runner knows GET /report, /watch, /preview and /picture, POST /stop, /adopted, /change, /lease and /take.',
        });
    }
  }

  private answerLater(response: ServerResponse, work: () => Promise<object>): void {
    work().then(
      (body) => this.send(response, 200, body),
      (error: unknown) => {
        const appError = error instanceof AppError ? error : new AppError('internal', (error as Error).message);
        this.send(response, appError.status, { code: appError.code, detail: appError.message, ...wordsOf(appError) });
      },
    );
  }

  private watch(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write(`${JSON.stringify(this.handlers.report())}\n`);
    this.watchers.add(response);
    response.once('close', () => {
      this.watchers.delete(response);
      this.leftAt = performance.now();
    });
    // The close event that follows removes the watcher.
    response.on('error', () => undefined);
  }

  private send(response: ServerResponse, status: number, body: object): void {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }
}

function hasBody({ method, url }: IncomingMessage): boolean {
  return method === 'POST' && (url === '/change' || url === '/lease' || url === '/take');
}

function widthIn({ url }: IncomingMessage): number {
  return Number(new URL(url!, 'http://runner').searchParams.get('width'));
}

async function readJson<T>(request: IncomingMessage): Promise<T> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as T;
}
