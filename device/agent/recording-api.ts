/** The agent's calls about Recordings: list, files, bytes and removal. */
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Hono } from 'hono';
import { AppError } from '../../domain/base/errors.ts';
import type { SentRange } from '../../domain/ports/device-link.ts';
import type { RecordingKey } from '../../domain/shapes/media/recording.ts';
import { isSentRange } from '../../domain/reported/orders.ts';
import type { Recordings } from './recordings/recordings.ts';
import { isRunId } from './runs/run-record.ts';

export type AgentApp = Hono<{ Bindings: HttpBindings }>;

const ONE = '/recordings/:livestreamId/:runId/:publishingId';

export function recordingCalls(app: AgentApp, recordings: Recordings): void {
  app.get('/recordings', async (context) => context.json({ recordings: await recordings.list() }));

  app.get(ONE, async (context) => {
    const files = await recordings.files(keyOf(context.req.param()));
    return context.json({ files: files.map(({ name, path, bytes }) => ({ name, path, bytes })) });
  });

  app.delete(ONE, async (context) => {
    await recordings.remove(keyOf(context.req.param()));
    return context.body(null, 204);
  });

  app.post(`${ONE}/:name`, async (context) => {
    const { name } = context.req.param();
    const range = sentRange(name, await context.req.json());
    const gone = new AbortController();
    context.env.outgoing.once('close', () => gone.abort());
    return context.json({ tag: await recordings.send(keyOf(context.req.param()), range, gone.signal) });
  });

  // `from` is the first byte to send, so that a transfer that broke off goes on from there.
  app.get(`${ONE}/:name`, async (context) => {
    const { name } = context.req.param();
    const file = (await recordings.files(keyOf(context.req.param()))).find((candidate) => candidate.name === name);
    const start = Number(context.req.query('from') ?? 0);
    if (file === undefined || !(start <= file.bytes))
      throw new AppError('not_found', 'The Recording has no such file, or not so much of it.');
    const out = context.env.outgoing;
    out.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': file.bytes - start });
    if (start === file.bytes) out.end();
    // No more bytes are sent than announced: a part that is being written has more by now.
    else pipeline(createReadStream(file.path, { start, end: file.bytes - 1 }), out, () => undefined);
    return RESPONSE_ALREADY_SENT;
  });
}

function sentRange(name: string, body: unknown): SentRange {
  if (isSentRange(body)) return { name, ...body };
  throw new AppError('invalid_input', 'The body is not { from, to, url }, with bytes and an address of http or https.');
}

function keyOf({ livestreamId, runId, publishingId }: Record<string, string>): RecordingKey {
  const key = { livestreamId: Number(livestreamId), runId: runId ?? '', publishingId: Number(publishingId) };
  if (isRunId(key.runId) && key.livestreamId > 0 && key.publishingId !== 0) return key;
  throw new AppError('invalid_input', 'That names no Recording: the ids of Live stream, run and Publishing.');
}
