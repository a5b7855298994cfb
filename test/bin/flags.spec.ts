/** The program's messages about a wrong command line or environment, for every command. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { onair } from '../helpers/cli.ts';
import { someOf } from '../helpers/counts.ts';
import { PROGRAM } from '../helpers/service.ts';

let dir: string;
before(() => void (dir = mkdtempSync(join(tmpdir(), 'onair-flags-'))));
after(() => rmSync(dir, { recursive: true }));

/** Commands that go on when they are taken have a process of their own, which is ended then: nothing of it may run on. */
const LASTING = new Set(['serve', 'device']);
const BOUND = { timeout: 120_000, killSignal: 'SIGKILL' } as const;

async function run(
  words: readonly string[],
  extra: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; text: string }> {
  const { ONAIR_URL: _url, ONAIR_TOKEN: _token, NODE_OPTIONS: _options, ...own } = process.env;
  const env = { ...own, XDG_CONFIG_HOME: join(dir, 'config'), ONAIR_DATA: join(dir, 'data'), ...extra };
  if (!LASTING.has(words[0]!)) {
    const { code, screen } = await onair(words, env, { cwd: dir });
    return { code, text: screen };
  }
  const options = { cwd: dir, env, encoding: 'utf8', ...BOUND } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...words], options);
  return { code: status, text: stdout + stderr };
}

const VALUELESS: [string[], string, string | undefined][] = [
  [['upload', 'talk.mp4', '--type', 'files', '--name', '--type'], '--name', '--type'],
  [['serve', '--data', '--port=0'], '--data', '--port=0'],
  [['serve', '--port', '--host', '127.0.0.1'], '--port', '--host'],
  [['serve', '--port='], '--port', undefined],
  [['serve', '--port', ''], '--port', undefined],
  [['--config', '--help', 'status'], '--config', '--help'],
  [['status', '--interval'], '--interval', undefined],
  [['device', '--dir', '--listen', '0.0.0.0'], '--dir', '--listen'],
  [['logs', 'Show', '--since', '-f'], '--since', '-f'],
  [['license', 'issue', '--key', '--customer', 'x', '--features', 'editor'], '--key', '--customer'],
  [['call', 'addChannel', '--idempotency-key', '--name', 'x1', '--type', 'File'], '--idempotency-key', '--name'],
  [['call', '--idempotency-key', '--quiet', 'addChannel'], '--idempotency-key', '--quiet'],
  [['call', 'addChannel', '--name', '--type', 'File'], '--name', '--type'],
];
for (const [words, flag, next] of someOf(VALUELESS, 3)) {
  test(`onair ${words.join(' ')} names the flag that has no value`, async () => {
    const { code, text } = await run(words);
    assert.equal(code, 2, text);
    const output = next === undefined ? '' : `; ${next} is the next flag\\. Write ${flag} <value>`;
    assert.match(text, new RegExp(`(?:error|onair): ${flag} needs a value${output}`, 'u'));
    assert.ok(!readdirSync(dir).some((name) => name.startsWith('-')), String(readdirSync(dir)));
  });
}

test('a value behind = may begin with dashes, and a field of a call may be called as an option is', async () => {
  assert.match((await run(['upload', 'none.mp4', '--type=files', '--name=--odd'])).text, /none\.mp4 cannot be read/u);
  assert.match((await run(['call', 'addUserGroup', '--config=x', '--nmae=--odd'])).text, /There is no token/u);
});

test('a variable that is a slip of a setting stops every command that reads one or none', async () => {
  for (const words of [['tools'], ['status'], ['serve'], ['license', 'keygen', '--out', join(dir, 'keys')]])
    for (const [slip, meant] of Object.entries({ ONAIR_TIMZONE: 'ONAIR_TIMEZONE', TOOL_PROFIL: 'TOOL_PROFILE' })) {
      const { code, text } = await run(words, { [slip]: 'x' });
      assert.equal(code, 2, words.join(' '));
      assert.match(text, new RegExp(`${slip} is not a setting; ${meant} is\\. Correct its name, or unset it\\.`, 'u'));
    }
  assert.ok(!existsSync(join(dir, 'keys')));
});
