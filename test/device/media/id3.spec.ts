import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { id3Tag } from '../../../device/media/mpeg-ts/id3.ts';

test('an ID3 tag is what another reader takes it for', () => {
  const data = Buffer.from('{"ad":true}');
  const tag = id3Tag([
    { id: 'TXXX', description: 'song', value: 'Grüße, 東京' },
    { id: 'TXXX', description: 'long', value: 'x'.repeat(300) },
    { id: 'PRIV', owner: 'com.example.ads', data },
  ]);
  // ffmpeg reads a tag in front of MPEG sound; one frame of silence is enough of it.
  const silence = Buffer.concat([Buffer.from('fffb9064', 'hex'), Buffer.alloc(413)]);
  const args = ['-v', 'error', '-f', 'mp3', '-show_entries', 'format_tags', '-of', 'json', 'pipe:0'];
  const input = Buffer.concat([tag, silence, silence, silence]);
  const { format } = JSON.parse(execFileSync('ffprobe', args, { input, encoding: 'utf8' })) as any;
  assert.equal(format.tags.song, 'Grüße, 東京');
  assert.equal(format.tags.long, 'x'.repeat(300));
  assert.equal(format.tags['id3v2_priv.com.example.ads'], data.toString());
});

test('the sizes of an ID3 tag are in bytes of seven bits, and no frame and NUL are refused', () => {
  const tag = id3Tag([{ id: 'PRIV', owner: 'o', data: Buffer.alloc(200) }]);
  assert.deepEqual([...tag.subarray(0, 10)], [0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 1, 84]);
  assert.equal(tag.length, 10 + 128 + 84);
  assert.throws(() => id3Tag([]), RangeError);
  assert.throws(() => id3Tag([{ id: 'TXXX', description: 'a\0b', value: '' }]), RangeError);
});
