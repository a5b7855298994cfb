import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { archiveOf, entriesIn, type ArchiveEntry, type Manifest } from '../../system/backup/archive.ts';
import { isSealed, opened, sealed } from '../../system/backup/sealing.ts';
import { isAppError } from '../store/support.ts';
import { testFolder } from '../helpers/test-folder.ts';

const MANIFEST: Manifest = {
  format: 'onair-backup',
  version: 1,
  program: '0.1.0',
  schemaVersion: 4,
  begun_at: '2026-05-01T10:00:00.000Z',
};
/** Work factor of scrypt: each of many tries would take a second otherwise. */
const QUICK = 10;
const LONG_NAME = `assets/files/${'ä'.repeat(120)}.mp4`;

async function* entries(): AsyncGenerator<ArchiveEntry> {
  await Promise.resolve();
  yield { name: LONG_NAME, bytes: 700, content: () => piecesOf(Buffer.alloc(700, 1), 300) };
  yield { name: 'store/journal-00000001.jsonl', bytes: 0, content: () => piecesOf(Buffer.alloc(0)) };
}

async function bytesOf(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function* piecesOf(bytes: Buffer, size = 1000): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function contentsOf(source: AsyncIterable<Uint8Array>): Promise<[name: string, bytes: number][]> {
  const found: [string, number][] = [];
  for await (const { name, content } of entriesIn(source)) found.push([name, (await bytesOf(content())).length]);
  return found;
}

const isDamage = isAppError('invalid_input', /cut short, or was changed/u);

describe('the form of a backup', () => {
  it('a backup gives back each entry with its name and bytes, and tar reads it', async (t) => {
    const whole = await bytesOf(archiveOf(MANIFEST, entries()));
    const found = await contentsOf(piecesOf(whole, 7));
    assert.deepEqual(found.slice(1), [
      [LONG_NAME, 700],
      ['store/journal-00000001.jsonl', 0],
    ]);
    const path = join(testFolder(t, 'backup'), 'a.tar');
    writeFileSync(path, whole);
    const listed = execFileSync('tar', ['tf', path, '--quoting-style=literal'], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    });
    assert.deepEqual(
      listed.trim().split('\n'),
      found.map(([name]) => name),
    );
  });

  it('a backup with any byte changed is refused, and so is one that is cut off anywhere or goes on behind its end', async () => {
    const whole = await bytesOf(archiveOf(MANIFEST, entries()));
    for (let at = 0; at < whole.length; at += 7) {
      const changed = Buffer.from(whole);
      changed[at]! ^= 1 << (at % 8);
      await assert.rejects(contentsOf(piecesOf(changed)), isDamage, `byte ${at}`);
      await assert.rejects(contentsOf(piecesOf(whole.subarray(0, at))), isDamage, `${at} bytes`);
    }
    await assert.rejects(contentsOf(piecesOf(Buffer.concat([whole, whole]))), isDamage);
  });

  it('an encrypted backup shows nothing of its content and opens with its passphrase alone', async () => {
    const closed = await bytesOf(sealed(archiveOf(MANIFEST, entries()), 'a good long passphrase', QUICK));
    assert.ok(isSealed(closed));
    for (const word of ['onair', 'journal', 'assets']) assert.ok(!closed.subarray(30).includes(word), word);
    assert.equal((await contentsOf(opened(piecesOf(closed), 'a good long passphrase'))).length, 3);
    await assert.rejects(
      contentsOf(opened(piecesOf(closed), 'another passphrase')),
      isAppError('invalid_input', /passphrase does not open/u),
    );
  });

  it('an encrypted backup that is changed or cut short is refused', async () => {
    const closed = await bytesOf(sealed(archiveOf(MANIFEST, entries()), 'p', QUICK));
    const header = closed.indexOf('\n---');
    for (const at of [3, header + 10, closed.length - 300, closed.length - 1]) {
      const changed = Buffer.from(closed);
      changed[at]! ^= 1;
      await assert.rejects(contentsOf(opened(piecesOf(changed), 'p')), isDamage, `byte ${at}`);
    }
    for (const length of [10, header, closed.length - 1])
      await assert.rejects(contentsOf(opened(piecesOf(closed.subarray(0, length)), 'p')), isDamage, `${length} bytes`);
  });
});
