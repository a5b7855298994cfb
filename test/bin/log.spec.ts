/** The log of a server or an agent lies on a disk that may run full: it loses lines then, and never its process. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { programArguments } from '../helpers/program.ts';
import { mountedFolder } from '../store/support.ts';

const WRITER = programArguments(new URL('fixtures/log-writer.ts', import.meta.url));
const DISK_BYTES = 64 * 1024;

describe('a log on a full disk', () => {
  it('a log on a full disk drops lines, and says how many once there is room', async (t) => {
    const dir = await mountedFolder(t, '-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'none');
    if (dir === undefined) return;
    const path = join(dir, 'log');
    const fd = openSync(path, 'a');
    const writer = spawn(process.execPath, WRITER, { stdio: ['pipe', 'pipe', fd] });
    t.after(() => writer.kill('SIGKILL'));
    closeSync(fd);
    const done = createInterface({ input: writer.stdout! })[Symbol.asyncIterator]();
    const log = async (line: string): Promise<void> => {
      writer.stdin!.write(`${line}\n`);
      assert.equal((await done.next()).value, line, 'the writer lives');
    };
    await log('before');
    // Its page stays the log's; the line that outgrows it is cut.
    writeFileSync(join(dir, 'filler'), Buffer.alloc(DISK_BYTES - 4096));
    await log('x'.repeat(5000));
    await log('lost');
    rmSync(join(dir, 'filler'));
    await log('after');
    const lines = readFileSync(path, 'utf8').split('\n');
    assert.match(lines[0]!, /"msg":"before"/u);
    assert.match(lines[1]!, /xxx$/u);
    assert.match(lines[2]!, /"msg":"after"/u);
    assert.match(lines[3]!, /"level":40,.*"lines":2,"msg":"Lines before this one are missing/u);
  });
});
