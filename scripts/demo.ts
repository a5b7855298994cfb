/**
 * `npm run demo` puts a broadcast on air as an assistant would, through the product's own MCP server. `-- --once 20` checks the stream for
 * 20 s and the operators' page, and ends; `-- --source FILE|URL` takes your own source.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pause } from '../domain/time/pause.ts';
import { connectAssistant, startServer, type Assistant, type DemoServer } from './demo/service.ts';
import { makeVideo, checkStream } from './demo/media.ts';
import { DEMO_NAME, setUpBroadcast, type Broadcast } from './demo/broadcast.ts';
import { checkPage } from './demo/page.ts';

const { values } = parseArgs({
  options: { source: { type: 'string' }, once: { type: 'string' }, port: { type: 'string', default: '0' } },
});
const onceSeconds = values.once === undefined ? undefined : Number(values.once);
if (onceSeconds !== undefined && !(onceSeconds > 0)) throw new Error(`--once takes seconds, not ${values.once}`);

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const scratch = mkdtempSync(join(tmpdir(), 'onair-demo-'));
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort());

let server: DemoServer | undefined;
let assistant: Assistant | undefined;
let broadcast: Broadcast | undefined;
try {
  const source = values.source ?? makeVideo(join(scratch, 'demo.mp4'), say);
  say('Starting the service on a scratch data folder …');
  server = await startServer(scratch, values.port);
  assistant = await connectAssistant(server);
  say(`Service: ${server.url}   MCP tools: ${(await assistant.toolNames()).join(', ')}`);
  broadcast = await setUpBroadcast(assistant, server, source, say);
  say('start_livestream …');
  const started = await broadcast.start();
  say(`\n  ${started.message}`);
  say(`\n  Operators: ${server.url}/   sign in as admin with the password ${server.password}`);
  say(`  Watch:     ${server.url}/watch?src=${encodeURIComponent(started.playlist)}`);
  say(`  Playlist:  ${started.playlist}`);
  say(
    `\n  For an assistant's MCP configuration:\n  ${JSON.stringify({ mcpServers: { onair: server.assistantConfig } })}\n`,
  );
  if (onceSeconds === undefined) await showStatus(broadcast, interrupted.signal);
  else {
    await checkStream(started.playlist, onceSeconds, say);
    await checkPage(server, DEMO_NAME, say);
  }
} catch (error) {
  if (!interrupted.signal.aborted) {
    process.exitCode = 1;
    process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
    if (server !== undefined) process.stderr.write(`The service said:\n${server.lastLines()}\n`);
  }
} finally {
  say('\nTaking everything down …');
  // Ctrl-C in a terminal has ended the assistant's process as well; the service takes its broadcasts down in any case.
  if (!interrupted.signal.aborted) {
    await broadcast?.stop().catch((error: unknown) => process.stderr.write(`demo: stop: ${String(error)}\n`));
  }
  await assistant?.close();
  await server?.close();
  rmSync(scratch, { recursive: true, force: true });
  say('Done.');
}

async function showStatus(shown: Broadcast, signal: AbortSignal): Promise<void> {
  say('  Ctrl-C takes it off air.\n');
  while (!signal.aborted) {
    const line = await shown.statusLine();
    process.stdout.write(process.stdout.isTTY ? `\r\u001b[K  ${line}` : `  ${line}\n`);
    await pause(1000, signal);
  }
}
