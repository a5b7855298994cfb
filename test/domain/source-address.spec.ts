import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nameOfAddress, sourceOf } from '../../domain/shapes/sources/source-address.ts';
import { usualLadder } from '../../domain/shapes/encodings/usual-ladder.ts';

const srt = (settings: object): object => ({ type: 'SRT', settings });
const stream = (url: string): object => ({ type: 'Stream', settings: { url } });

describe('the Channel of an address', () => {
  const CASES: [string, object][] = [
    ['https://host/live/index.m3u8', stream('https://host/live/index.m3u8')],
    ['rtmp://host/app/key', stream('rtmp://host/app/key')],
    ['udp://@239.1.1.1:5000', stream('udp://@239.1.1.1:5000')],
    ['udp://@:5000', stream('udp://0.0.0.0:5000')],
    ['rtp://:5004', stream('rtp://0.0.0.0:5004')],
    ['srt://host:9000', srt({ mode: 'caller', host: 'host', port: 9000 })],
    ['srt://:9000', srt({ mode: 'listener', host: '0.0.0.0', port: 9000 })],
    ['srt://host:9000?mode=listener', srt({ mode: 'listener', host: 'host', port: 9000 })],
    [
      'srt://host:9000?streamid=a/b&passphrase=0123456789&pbkeylen=32&latency=300000',
      srt({
        mode: 'caller',
        host: 'host',
        port: 9000,
        streamid: 'a/b',
        passphrase: '0123456789',
        encryption: 256,
        latency_ms: 300,
      }),
    ],
    ['srt://host:9000?latency=120', srt({ mode: 'caller', host: 'host', port: 9000, latency_ms: 120 })],
    ['rtsp://user:pass@camera/1', { type: 'Stream', settings: { url: 'rtsp://user:pass@camera/1' } }],
    ['srt://[::1]:9000', srt({ mode: 'caller', host: '[::1]', port: 9000 })],
  ];
  for (const [address, channel] of CASES)
    it(`${address} is a Channel of its own`, () => assert.deepEqual(sourceOf(address), channel));

  for (const address of ['camera', 'rtsp2://host/1', 'file:///etc/passwd', 'srt://host', 'http://'])
    it(`${address} is refused with the reason`, () => assert.ok('problem' in sourceOf(address)));

  it('the name of an address has nothing of it that may be secret', () => {
    assert.equal(nameOfAddress('rtmp://user:secret@host:1936/app/key?token=secret'), 'RTMP host:1936');
    assert.equal(nameOfAddress('srt://:9000?passphrase=0123456789'), 'SRT 0.0.0.0:9000');
  });
});

describe('the usual ladder', () => {
  const CASES: [number | null, [number, number][]][] = [
    [
      null,
      [
        [720, 2800],
        [360, 1100],
      ],
    ],
    [
      2160,
      [
        [1080, 5000],
        [720, 2800],
        [360, 1100],
      ],
    ],
    [
      1080,
      [
        [1080, 5000],
        [720, 2800],
        [360, 1100],
      ],
    ],
    [
      800,
      [
        [800, 3300],
        [360, 1100],
      ],
    ],
    [
      577,
      [
        [576, 2100],
        [360, 1100],
      ],
    ],
    [360, [[360, 1100]]],
    [90, [[90, 200]]],
    [1, [[16, 100]]],
  ];
  for (const [height, rungs] of CASES)
    it(`a source of ${height ?? 'unknown'} lines gets ${rungs.map(([lines]) => lines).join(', ')}`, () =>
      assert.deepEqual(
        usualLadder(height).map((rung) => [rung.height, rung.bitrate]),
        rungs,
      ));
});
