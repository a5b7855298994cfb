import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { itLong } from '../helpers/counts.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import { startService, TOKEN } from '../helpers/service.ts';
import { testFolder } from '../helpers/test-folder.ts';
import { until } from '../helpers/until.ts';

interface Entry {
  id: number;
  user: string;
  operation: string;
  outcome: string;
  changed: string[];
}

/** A receiver of the socket that programs log to, which writes each message in a line of its own. */
const RECEIVER = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
while True:
    print(s.recv(65536).decode(), flush=True)
`;
/** RFC 5424: facility 13, severity 6, version, time, host, program, process, kind, no structured data, text. */
const MESSAGE = /^<110>1 \d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) \S+ onair \d+ audit - (\{.*\})$/u;

function entriesIn(path: string): Entry[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Entry);
}

describe('copies of the audit', () => {
  it('each entry is in the file within a second, in a new one once the file was moved away, and without any secret', async (t) => {
    const dir = testFolder(t, 'audit');
    const path = join(dir, 'audit.jsonl');
    const service = await startService({ ONAIR_AUDIT_FILE: path });
    cleanUp(t, () => service.dispose());
    const channel = { name: 'Studio', type: 'Stream', settings: { url: 'http://studio:kanarienvogel@127.0.0.1:9/a' } };
    await service.create('/channels', channel);
    await until('the entry', () => entriesIn(path).some(({ operation }) => operation === 'addChannel'));
    await service.rest('POST', '/channels', channel);
    await until('the refusal', () => entriesIn(path).some(({ outcome }) => outcome === 'conflict'));
    assert.equal(statSync(path).mode & 0o777, 0o600);
    const moved = join(dir, 'audit.jsonl.1');
    renameSync(path, moved);
    const before = entriesIn(moved).length;
    await service.create('/encodings', { name: '720p' });
    await until('the new file', () => entriesIn(path).some(({ operation }) => operation === 'addEncoding'));
    await service.kill('SIGTERM');
    assert.equal(entriesIn(moved).length, before);
    const all = [...entriesIn(moved), ...entriesIn(path)];
    assert.deepEqual(
      all.map(({ id }) => id),
      all.map((_, at) => at + 1),
    );
    assert.ok(all.find(({ operation }) => operation === 'addChannel')?.changed.includes('settings'));
    for (const secret of ['kanarienvogel', TOKEN]) assert.ok(!JSON.stringify(all).includes(secret), secret);
  });

  it('a file that cannot be written ends the start with the name of the setting', async (t) => {
    const path = join(testFolder(t, 'audit'), 'none', 'audit.jsonl');
    await assert.rejects(
      startService({ ONAIR_AUDIT_FILE: path }),
      /audit file .* cannot be written[\s\S]*ONAIR_AUDIT_FILE/u,
    );
    await assert.rejects(
      startService({ ONAIR_AUDIT_SYSLOG: 'tcp://127.0.0.1' }),
      /ONAIR_AUDIT_SYSLOG must be the path of a socket/u,
    );
  });

  itLong('each entry is a message of RFC 5424 at a syslog server over UDP', async (t) => {
    const receiver = createSocket('udp4').bind(0, '127.0.0.1');
    cleanUp(t, () => receiver.close());
    const messages: string[] = [];
    receiver.on('message', (message) => messages.push(message.toString()));
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    const service = await startService({ ONAIR_AUDIT_SYSLOG: `udp://127.0.0.1:${port}` });
    cleanUp(t, () => service.dispose());
    await service.create('/encodings', { name: '720p' });
    const isOfCall = (message: string): boolean =>
      (JSON.parse(MESSAGE.exec(message)?.[1] ?? '{}') as Entry).operation === 'addEncoding';
    await until('the message', () => messages.some(isOfCall));
  });

  it('the same goes to the socket of the system log, again once it is back, and a socket that nobody reads holds nothing up', async (t) => {
    const socket = join(testFolder(t, 'audit'), 'log');
    const service = await startService({ ONAIR_AUDIT_SYSLOG: socket });
    cleanUp(t, () => service.dispose());
    await service.create('/encodings', { name: 'unheard' });
    await until('the log says so', () => service.output().includes('takes no audit entries'));
    const receiver = spawn('python3', ['-c', RECEIVER, socket], { stdio: ['ignore', 'pipe', 'ignore'] });
    cleanUp(t, () => receiver.kill());
    let received = '';
    receiver.stdout.on('data', (chunk: Buffer) => (received += chunk.toString()));
    await until('the socket', () => existsSync(socket));
    await service.create('/encodings', { name: '720p' });
    const last = (): string => received.trimEnd().split('\n').at(-1) ?? '';
    await until('the message', () => received.endsWith('\n') && MESSAGE.test(last()));
    assert.equal((JSON.parse(MESSAGE.exec(last())![1]!) as Entry).operation, 'addEncoding');
    await until('the log says so', () => service.output().includes('takes audit entries again'));
  });
});
