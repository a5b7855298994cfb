import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  contentType,
  foldersAbove,
  isManifest,
  pushTarget,
  remoteUrl,
} from '../../../device/media/manifests/push-target.ts';

const to = (address: string, path: string): string => remoteUrl(pushTarget(address, null, null), path).href;

test('the address of a push target is the folder, or the manifest in it', () => {
  assert.equal(to('https://o.example/live', 'index.m3u8'), 'https://o.example/live/index.m3u8');
  assert.equal(to('https://o.example/live/', '11/7-abc.ts'), 'https://o.example/live/11/7-abc.ts');
  assert.equal(to('http://o', 'manifest.mpd'), 'http://o/manifest.mpd');
  const named = 'http://o:8080/a/news.m3u8?token=x%2F1';
  assert.equal(to(named, 'index.m3u8'), 'http://o:8080/a/news.m3u8?token=x%2F1');
  assert.equal(to(named, 'manifest.mpd'), 'http://o:8080/a/news.mpd?token=x%2F1', 'the pair share the name');
  assert.equal(to(named, '11/index.m3u8'), 'http://o:8080/a/11/index.m3u8?token=x%2F1', 'what is named keeps its name');
  assert.equal(to('webdavs://o/a', 'x y.ts'), 'https://o/a/x%20y.ts');
  assert.equal(to('webdav://o/a', 'x'), 'http://o/a/x');
  for (const useless of ['ftp://o/a', 'https://o/100%.m3u8', 'https://o:0/a'])
    assert.throws(() => pushTarget(useless, null, null), TypeError, useless);
});

test('user name and password are those of the Destination, else of the address, and go in no URL', () => {
  const decode = (given: string | undefined): string => Buffer.from(given!.slice(6), 'base64').toString();
  const inUrl = pushTarget('https://u%40x:p%3A1@o/a/', null, null);
  assert.equal(decode(inUrl.authorization), 'u@x:p:1');
  assert.equal(remoteUrl(inUrl, 'index.m3u8').href, 'https://o/a/index.m3u8');
  assert.equal(decode(pushTarget('https://u:p@o/a', 'other', 'secret').authorization), 'other:secret');
  assert.equal(pushTarget('https://o/a', null, null).authorization, undefined);
  assert.equal(inUrl.host, 'o');
});

test('folders on an origin are made from the top, and files have their types', () => {
  assert.deepEqual(
    foldersAbove(new URL('http://o/a/b/11/7.ts?t=1')).map(({ href }) => href),
    ['http://o/a/?t=1', 'http://o/a/b/?t=1', 'http://o/a/b/11/?t=1'],
  );
  assert.deepEqual(['x.m3u8', 'a/x.mpd', '1-a.ts', 'init-0.mp4', '3.m4s', 'x'].map(contentType), [
    ...['application/vnd.apple.mpegurl', 'application/dash+xml', 'video/mp2t', 'video/mp4', 'video/iso.segment'],
    'application/octet-stream',
  ]);
  assert.deepEqual(['index.m3u8', '11/index.m3u8', 'a.mpd', 'm3u8', '7.ts'].map(isManifest), [
    true,
    true,
    true,
    false,
    false,
  ]);
});
