/** `npm run dev`, as a developer has it: the real script, a source that changes, Ctrl-C. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { freePort } from '../helpers/ports.ts';
import { endAll, processesOf, PROGRAM } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { ROOT } from '../house/sources.ts';

let scratch: string;
let env: NodeJS.ProcessEnv;
let dev: ChildProcess;
let output = '';

before(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'onair-dev-'));
  const port = String(await freePort());
  env = {
    ...process.env,
    ONAIR_DATA: join(scratch, 'data'),
    ONAIR_PORT: port,
    XDG_CONFIG_HOME: join(scratch, 'config'),
  };
  delete env['NODE_OPTIONS'];
  dev = spawn(process.execPath, ['--import', 'tsx', 'scripts/dev.ts'], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [dev.stdout, dev.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
});

after(() => {
  dev.kill('SIGKILL');
  endAll(scratch);
});

async function shown(pattern: RegExp, times = 1): Promise<RegExpMatchArray[]> {
  try {
    return await until(pattern.source, () => {
      const found = [...output.matchAll(pattern)];
      return found.length >= times && found;
    });
  } catch (error) {
    throw new Error(output, { cause: error });
  }
}

it('npm run dev serves from the sources, starts again when one changes, and ends with its server', async () => {
  const [ready] = await shown(/^onair: ready (\S+)$/gmu);
  const url = ready?.[1] ?? '';
  assert.equal((await fetch(url)).status, 200);

  // An editor that saves without a change does this: the file stays as it is for the tests beside this one.
  const source = join(ROOT, 'bin', 'version.ts');
  const { atime, mtime } = statSync(source);
  utimesSync(source, atime, mtime);
  await shown(/^onair dev: bin\/version\.ts has changed/gmu);
  await shown(/^onair: ready /gmu, 2);
  assert.equal((await fetch(url)).status, 200);

  dev.kill('SIGINT');
  assert.deepEqual(await once(dev, 'close'), [0, null]);
  await assert.rejects(fetch(url), 'its server has ended with it');
  assert.match(output, /The Device agent goes on/u);
  const left = processesOf(scratch).map(({ command }) => command);
  assert.ok(
    left.some((command) => command.includes(' device ')) && !left.some((command) => command.includes(' serve')),
  );
  execFileSync(process.execPath, [PROGRAM, 'device', 'stop'], { env, stdio: 'ignore' });
  await until('no process is left', () => processesOf(scratch).length === 0);
});
