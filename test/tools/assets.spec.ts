import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { AssetQuota } from '../../domain/ports/control.ts';
import { AppError } from '../../domain/base/errors.ts';
import { makeClip } from '../helpers/service.ts';
import type { Reply } from '../../toolkit/call.ts';
import { PNG_BASE64, addBroadcast } from '../app/broadcast.ts';
import { fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

const PNG = Buffer.from(PNG_BASE64, 'base64');
const streamOf = (bytes: Uint8Array): ReadableStream<Uint8Array> => new Blob([new Uint8Array(bytes)]).stream();
/** The headers of the file that is sent in place of the body. */
const pathOf = ({ file }: Reply): string => (file !== undefined && 'path' in file ? file.path : '');

describe('Assets', () => {
  let app: TestApp;
  beforeEach(async () => void (app = await startTestApp()));
  afterEach(() => app.close());

  const logo = (filename: string): Promise<unknown> =>
    app.data('uploadAsset', { fileType: 'logos', filename, content_base64: PNG_BASE64 });
  const filesIn = (bucket: string): string[] =>
    readdirSync(join(app.dir, bucket)).filter((name) => !name.startsWith('.'));

  it('uploadAsset takes base64, probes it and shows it', async () => {
    const added = await app.call(
      'uploadAsset',
      { fileType: 'logos', filename: 'bug.png', content_base64: PNG_BASE64 },
      { via: 'mcp' },
    );
    assert.equal(added.status, 201);
    const { data } = added.body as { data: Record<string, unknown> };
    assert.deepEqual(
      [data['size_bytes'], data['content_type'], data['width'], data['height'], data['duration_seconds']],
      [PNG.length, 'image/png', 1, 1, null],
    );
    const shown = await app.call('readAsset', { fileType: 'logos', filename: 'bug.png' });
    assert.deepEqual(shown.body, added.body);
    assert.equal(shown.file?.contentType, 'image/png');
    assert.deepEqual(readFileSync(pathOf(shown)), PNG);
  });

  it('uploadAsset takes no more than the quota, by number and by size, also of uploads that come at once', async () => {
    const quota = app.control.assetFiles.quota as AssetQuota;
    quota.count = 3;
    await logo('one.png');
    const both = await Promise.allSettled(['two.png', 'three.png', 'four.png', 'five.png'].map(logo));
    assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'fulfilled', 'rejected', 'rejected']);
    const args = { fileType: 'logos', filename: 'six.png', content_base64: PNG_BASE64 };
    const byNumber = await app.refused('rule_violated', 'uploadAsset', args);
    assert.match(byNumber.message, /quota.*there are 3.*limit is 3 Assets \(ONAIR_ASSET_MAX_COUNT\).*Delete Assets/u);
    quota.bytes = 3 * PNG.length + 1;
    quota.count = undefined;
    const bySize = await app.refused('rule_violated', 'uploadAsset', args);
    assert.match(bySize.message, /bytes are used, this one has .*ONAIR_ASSET_MAX_BYTES/u);
    assert.equal(filesIn('logos').length, 3);
    quota.bytes = 4 * PNG.length;
    await logo('six.png');
  });

  it('uploadAsset takes a file that came beside the arguments, under its own name or the one given', async () => {
    const upload = { filename: 'own.png', content: streamOf(PNG) };
    assert.equal((await app.data('uploadAsset', { fileType: 'logos' }, { upload }))['filename'], 'own.png');
    const again = { filename: 'own.png', content: streamOf(PNG) };
    assert.equal(
      (await app.data('uploadAsset', { fileType: 'logos', filename: 'given.png' }, { upload: again }))['filename'],
      'given.png',
    );
    assert.deepEqual(filesIn('logos').sort(), ['given.png', 'own.png']);
  });

  it('uploadAsset reports its progress to a waiting client', async () => {
    const messages: number[] = [];
    const progress = (done: number, total: number): void => void messages.push(done, total);
    const clip = readFileSync(makeClip(join(app.dir, 'made.mp4'), 20));
    const pieces = Array.from({ length: Math.ceil(clip.length / 65_536) }, (_, at) =>
      clip.subarray(at * 65_536, (at + 1) * 65_536),
    );
    const upload = { filename: 'film.mp4', content: ReadableStream.from(pieces) as ReadableStream<Uint8Array> };
    await app.data('uploadAsset', { fileType: 'files' }, { upload, progress });
    assert.ok(messages.length / 2 >= clip.length / 1_200_000, `${clip.length} bytes, ${messages.length / 2} messages`);
    assert.deepEqual(messages.slice(-2), [clip.length, clip.length]);
    assert.ok(messages.every((value, index) => index < 2 || value >= messages[index - 2]!));
  });

  it('uploadAsset refuses what is not one content under one plain name', async () => {
    const neither = await app.refused('invalid_input', 'uploadAsset', { fileType: 'logos', filename: 'a.png' });
    assert.deepEqual(fieldsOf(neither), ['content_base64']);
    const upload = { filename: '../evil.png', content: streamOf(PNG) };
    await app.refused('invalid_input', 'uploadAsset', { fileType: 'logos', content_base64: PNG_BASE64 }, { upload });
    assert.deepEqual(fieldsOf(await app.refused('invalid_input', 'uploadAsset', { fileType: 'logos' }, { upload })), [
      'filename',
    ]);
    await app.refused('invalid_input', 'uploadAsset', { fileType: 'logos', content_base64: PNG_BASE64 });
    for (const filename of ['a/b.png', '..', '.hidden', 'a\\b', 'a\u0000b', 'a\u202eb.png']) {
      await app.refused('invalid_input', 'uploadAsset', { fileType: 'logos', filename, content_base64: PNG_BASE64 });
      await app.refused('invalid_input', 'readAsset', { fileType: 'logos', filename });
    }
    await app.refused('invalid_input', 'uploadAsset', {
      fileType: 'logos',
      filename: 'a.png',
      content_base64: 'not*base64',
    });
    await app.refused('invalid_input', 'uploadAsset', {
      fileType: 'fonts',
      filename: 'a.png',
      content_base64: PNG_BASE64,
    });
  });

  it('uploadAsset refuses base64 over 8 MB and content that is not what its bucket holds; nothing is left', async () => {
    const large = Buffer.alloc(8_000_001).toString('base64');
    const error = await app.refused('too_large', 'uploadAsset', {
      fileType: 'logos',
      filename: 'a.png',
      content_base64: large,
    });
    assert.match(error.message, /multipart/u);
    const text = Buffer.from('#!/bin/sh\necho no').toString('base64');
    for (const fileType of ['logos', 'files', 'clips']) {
      await app.refused('unsupported_media', 'uploadAsset', { fileType, filename: 'a.mp4', content_base64: text });
      assert.deepEqual(filesIn(fileType), []);
    }
    assert.deepEqual(await app.rows('listAssets'), []);
  });

  it('uploadAsset refuses a name that the bucket has, and keeps the first content', async () => {
    await logo('bug.png');
    await app.refused('conflict', 'uploadAsset', {
      fileType: 'logos',
      filename: 'bug.png',
      content_base64: PNG_BASE64,
    });
    assert.deepEqual(filesIn('logos'), ['bug.png']);
    const both = await Promise.allSettled([logo('twin.png'), logo('twin.png')]);
    assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    const lost = both.find((outcome) => outcome.status === 'rejected');
    assert.ok(lost?.reason instanceof AppError && lost.reason.code === 'conflict');
    assert.deepEqual(filesIn('logos').sort(), ['bug.png', 'twin.png']);
  });

  it('uploadAsset leaves no file when the commit fails', async () => {
    const tx = app.store.tx.bind(app.store);
    app.store.tx = () => Promise.reject(new AppError('unavailable', 'The disk is full.'));
    await app.refused('unavailable', 'uploadAsset', {
      fileType: 'logos',
      filename: 'bug.png',
      content_base64: PNG_BASE64,
    });
    app.store.tx = tx;
    assert.deepEqual(filesIn('logos'), []);
    await logo('bug.png');
  });

  it('Assets are listed by bucket and part of the filename, in pages', async () => {
    for (const filename of ['b.png', 'A.png', 'other.png']) await logo(filename);
    const names = async (args: object): Promise<unknown[]> =>
      (await app.rows('listAssets', args)).map((row) => row['filename']);
    assert.deepEqual(await names({ fileType: 'logos' }), ['b.png', 'A.png', 'other.png']);
    assert.deepEqual(await names({ fileType: 'files' }), []);
    assert.deepEqual(await names({ search: 'PNG', sort: '-filename', pageSize: 2 }), ['other.png', 'b.png']);
    assert.deepEqual(await names({ search: 'a.' }), ['A.png']);
    const { body } = await app.call('listAssets', { search: 'png', page: 2, pageSize: 2 });
    assert.deepEqual((body as { pagination: object }).pagination, { page: 2, pageSize: 2, total: 3, totalPages: 2 });
  });

  it('deleteAsset deletes file and row, unless a Channel, logo or fallback has it', async () => {
    const clip = readFileSync(makeClip(join(app.dir, 'made.mp4'), 1));
    const upload = (filename: string): Promise<unknown> =>
      app.data('uploadAsset', { fileType: 'files', filename }, { upload: { filename, content: streamOf(clip) } });
    await Promise.all([logo('bug.png'), upload('film.mp4'), upload('fallback.mp4')]);
    const { id: channelId } = await app.data('addChannel', {
      name: 'Film',
      type: 'File',
      settings: { filename: 'film.mp4' },
    });
    const { livestreamId } = await addBroadcast(app);
    await app.data('updateLivestream', {
      livestreamId,
      logo: { filename: 'bug.png' },
      fallback: { mode: 'file', filename: 'fallback.mp4' },
    });

    const used = {
      'bug.png': ['logos', 'Live stream 1 "Show"'],
      'film.mp4': ['files', 'Channel 1 "Film"'],
      'fallback.mp4': ['files', 'Live stream 1 "Show"'],
    } as const;
    for (const [filename, [fileType, user]] of Object.entries(used)) {
      const error = await app.refused('in_use', 'deleteAsset', { fileType, filename });
      assert.ok(error.message.includes(user), error.message);
    }
    await app.call('deleteChannel', { channelId });
    const film = await app.call('readAsset', { fileType: 'files', filename: 'film.mp4' });
    assert.ok(existsSync(pathOf(film)));
    await app.refused(
      'version_mismatch',
      'deleteAsset',
      { fileType: 'files', filename: 'film.mp4' },
      { ifMatch: '"9"' },
    );
    const { data } = (await app.call('deleteAsset', { fileType: 'files', filename: 'film.mp4' })).body as {
      data: object;
    };
    assert.deepEqual(data, { id: (film.body as { data: { id: number } }).data.id, deleted: true });
    assert.ok(!existsSync(pathOf(film)));
    for (const operation of ['readAsset', 'deleteAsset'])
      await app.refused('not_found', operation, { fileType: 'files', filename: 'film.mp4' });
    await upload('film.mp4');
  });
});
