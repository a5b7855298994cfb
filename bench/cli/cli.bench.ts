/** Measures the time from a key to the answer at a terminal: the help, a line of status, completion; each against a bare start of Node. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startService } from '../../test/helpers/service.ts';
import { type Figure, median } from '../figures.ts';

const STARTS = 20;
const BARS = { help: 3.5, status: 3.5, completion: 2.4 } as const;

/** `program` is the JavaScript entry of the product (bin/onair.js). */
export async function benchCli({ program }: { program: string }): Promise<Figure[]> {
  const service = await startService();
  try {
    await service.create('/channels', {
      name: 'Camera',
      type: 'Stream',
      settings: { url: 'http://127.0.0.1:9/a.m3u8' },
    });
    const encodingId = await service.create('/encodings', { name: '720p', settings_video: { bitrate: 900 } });
    const publishingId = await service.create('/publishings', { name: 'Web', type: 'HLS / TS' });
    await service.create('/livestreams', { name: 'Show', channelId: 1, encodingId, publishingId });
    const calls = {
      bare: ['-e', '0'],
      help: [program, '--help'],
      status: [program, 'status'],
      completion: [program, '__complete', 'status', 'Sh'],
    };
    const times: Record<string, number[]> = {};
    for (let start = 0; start <= STARTS; start += 1)
      for (const [name, words] of Object.entries(calls)) {
        const elapsed = await elapsedMs(words, service.env);
        // The first of each fills the file cache.
        if (start > 0) (times[name] ??= []).push(elapsed);
      }
    const bareMs = median(times['bare'] ?? []);
    return Object.entries(BARS).map(([name, bar]) => figure(name, median(times[name] ?? []), bareMs, bar));
  } finally {
    await service.dispose();
  }
}

const TITLES: Readonly<Record<string, string>> = {
  help: '`onair --help`',
  status: '`onair status` with its line',
  completion: 'completion of a live name',
};

function figure(name: string, ms: number, bareMs: number, bar: number): Figure {
  const note = `${ms.toFixed(0)} ms against ${bareMs.toFixed(0)} ms; medians of ${STARTS} interleaved starts`;
  const value = ms / bareMs;
  return {
    name: `${TITLES[name]} to a bare \`node -e 0\``,
    value,
    bar: `≤ ${bar}`,
    met: value <= bar,
    unit: '×',
    note,
  };
}

async function elapsedMs(words: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0 || (words[0] !== '-e' && output === ''))
    throw new Error(`${words.join(' ')} answered nothing (${code}).`);
  return performance.now() - startedMs;
}
