/** All of a publisher's connection, from its greeting to the FLV that readers get. */
import assert from 'node:assert/strict';
import { FlvJoiner } from '../../../device/media/rtmp/flv-joiner.ts';
import { writeAmf, type Amf } from '../../../device/media/rtmp/rtmp-amf0.ts';
import { writeChunks } from '../../../device/media/rtmp/rtmp-chunks.ts';
import { RtmpSession } from '../../../device/media/rtmp/rtmp-session.ts';
import { pieces, refusing, type FuzzTarget } from '../target.ts';

const GREETING = Buffer.concat([Buffer.from([3]), Buffer.alloc(2 * 1536)]);
const command = (...values: Amf[]): Buffer => writeChunks({ type: 20, stream: 0, body: writeAmf(...values) }, 3, 128);
const media = (type: number, body: Buffer): Buffer => writeChunks({ type, stream: 1, body }, 4, 128);

const PUBLISHED = [
  command('connect', 1, { app: 'live', flashVer: 'FMLE/3.0', tcUrl: 'rtmp://127.0.0.1/live' }),
  command('releaseStream', 2, null, 'key'),
  command('createStream', 4, null),
  command('publish', 5, null, 'key', 'live'),
];
const CONFIGURED = [
  media(18, writeAmf('@setDataFrame', 'onMetaData', { width: 1280, height: 720 })),
  media(9, Buffer.from('17000000000164001fffe1000467640000', 'hex')),
  media(8, Buffer.from('af001210', 'hex')),
];
const PLAYED = [media(9, Buffer.from('1701000000000000026588', 'hex')), media(8, Buffer.from('af0121', 'hex'))];

export const target: FuzzTarget = {
  seeds: [
    Buffer.concat([Buffer.from([0]), ...PUBLISHED, ...CONFIGURED, ...PLAYED]),
    Buffer.concat([Buffer.from([1]), ...PUBLISHED, ...CONFIGURED, ...PLAYED, command('deleteStream', 6, null, 1)]),
    Buffer.concat([Buffer.from([2]), ...PUBLISHED.slice(0, 3), command('play', 5, null, 'key')]),
    // An acknowledgement window, and commands as AMF3 wraps them.
    Buffer.concat([Buffer.from([3]), writeChunks({ type: 5, stream: 0, body: Buffer.alloc(4) }, 2, 128)]),
    Buffer.concat([
      Buffer.from([4]),
      writeChunks(
        { type: 17, stream: 0, body: Buffer.concat([Buffer.from([0]), writeAmf('createStream', 1)]) },
        3,
        128,
      ),
    ]),
  ],
  run(bytes) {
    const joiner = new FlvJoiner();
    let [sent, written, published, done] = [0, 0, 0, 0];
    const session = new RtmpSession({
      send: (answer) => void (sent += answer.length),
      admit: (app, key) => {
        assert.ok(typeof app === 'string' && typeof key === 'string');
        published += 1;
        return key === 'no' ? 'refused' : undefined;
      },
      onMedia: (message) => {
        assert.ok(published > 0 && done === 0);
        written += joiner.take(message)?.bytes.length ?? 0;
        assert.ok(joiner.beginning.every(({ length }) => length > 0));
      },
      onDone: () => void (done += 1),
    });
    refusing([RangeError, TypeError], () => {
      for (const part of [GREETING, ...pieces(bytes.subarray(1), bytes[0] ?? 0)]) session.push(Buffer.from(part));
    });
    assert.ok(published <= 1 && done <= 1);
    // The handshake's 3 KB; of a connect about 300 bytes for 30; a tag has 15 bytes more than its message.
    assert.ok(sent <= 4096 + 16 * bytes.length, `${sent} bytes are answered to ${bytes.length}`);
    assert.ok(written <= 1024 + 32 * bytes.length, `${written} bytes are written of ${bytes.length}`);
  },
};
