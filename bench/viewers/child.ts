/**
 * A Device's delivery, with or without the count of those who watch, and the players that ask it. A server sends its port, then its CPU time in reply
 * to any message; the players answer an order when they have what they asked for.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Audience } from '../../device/agent/audience/audience.ts';
import { openMediaServer } from '../../device/agent/media-server.ts';
import { liveDir } from '../../device/run-dir.ts';
import { fileSource, LIVESTREAM_ID, output, rendition, runSpec } from '../../test/device/runner/specs.ts';
import { silentLog } from '../../test/helpers/silent-log.ts';

/** Each player asks once for the playlist and once for a segment. */
export interface Order {
  port: number;
  players: number;
  connections: number;
}
export type Role = ['server', { deviceDir: string; isCounting: boolean }] | ['players', object];

/** Two seconds of 1 Mbit/s: the smaller a segment is, the more a count weighs beside it. */
const SEGMENT_BYTES = 250_000;
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const [PUBLISHING, ENCODING] = [31, 11];

async function server({ deviceDir, isCounting }: { deviceDir: string; isCounting: boolean }): Promise<number> {
  const folder = join(liveDir(deviceDir, LIVESTREAM_ID, PUBLISHING), String(ENCODING));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.m3u8'), `#EXTM3U\n${'#EXTINF:2.0,\n1.ts\n'.repeat(10)}`);
  writeFileSync(join(folder, '1.ts'), Buffer.alloc(SEGMENT_BYTES, 7));
  const audience = new Audience(deviceDir);
  const outputs = [output(PUBLISHING, 'HLS / TS', { segment_duration: 6 })];
  const spec = runSpec('run', fileSource('clip.mp4'), outputs, { renditions: [rendition(ENCODING, 640, 360, 800)] });
  if (isCounting) setInterval(() => audience.report(spec, false), 1000);
  audience.report(spec, false);
  const onSeen = isCounting ? { onSeen: audience.take } : {};
  const options = { deviceDir, host: '127.0.0.1', port: 0, formerPort: 0, log: silentLog };
  const { port } = await openMediaServer(Object.assign(options, onSeen));
  return port;
}

/** Answers the players that were served. */
async function ask({ port, players, connections }: Order): Promise<number> {
  let next = 0;
  const one = (): number | undefined => (next < players ? next++ : undefined);
  const served = await Promise.all(Array.from({ length: connections }, () => askAll(port, one)));
  return served.reduce((sum, count) => sum + count, 0);
}

function requestsOf(player: number): string[] {
  const cmcd = encodeURIComponent(`bl=4000,br=1000,d=2000,ot=v,sid="6e2fb550-c457-11e9-bb97-${player}",st=l`);
  return ['index.m3u8', '1.ts'].map(
    (file) =>
      `GET /live/${LIVESTREAM_ID}/${PUBLISHING}/${ENCODING}/${file}?CMCD=${cmcd} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: ${AGENT}\r\n\r\n`,
  );
}

/** Over plain sockets: Node's own client would cost more than what is measured. */
function askAll(port: number, one: () => number | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    let served = 0;
    let requests: string[] = [];
    let awaited = 0;
    const socket = connect(port, '127.0.0.1', () => send()).setNoDelay();
    const send = (): void => {
      const player = requests.length > 0 ? undefined : one();
      if (player !== undefined) requests = requestsOf(player);
      const request = requests.shift();
      if (request !== undefined) return void socket.write(request);
      socket.end();
      resolve(served);
    };
    socket.on('error', reject).on('data', (chunk: Buffer) => {
      if (awaited > 0) awaited -= chunk.length;
      else {
        const head = chunk.indexOf('\r\n\r\n') + 4;
        const text = chunk.toString('latin1', 0, head);
        if (!text.startsWith('HTTP/1.1 200')) return void socket.destroy(new Error(text));
        awaited = Number(/content-length: (\d+)/iu.exec(text)![1]) + head - chunk.length;
      }
      if (awaited > 0) return;
      if (requests.length === 0) served += 1;
      send();
    });
  });
}

process.once('disconnect', () => process.exit());
process.once('message', async ([role, setting]: Role) => {
  if (role === 'players') {
    process.on('message', async (order: Order) => process.send?.(await ask(order)));
    process.send?.(0);
    return;
  }
  const port = await server(setting as { deviceDir: string; isCounting: boolean });
  process.on('message', () => process.send?.(process.cpuUsage()));
  process.send?.(port);
});
