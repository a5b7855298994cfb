/** No answer of a server ends the runner that plays from it, or makes it answer more than it was sent; media is handed on before its end alone. */
import assert from 'node:assert/strict';
import { writeAmf, type Amf } from '../../../device/media/rtmp/rtmp-amf0.ts';
import { writeChunks } from '../../../device/media/rtmp/rtmp-chunks.ts';
import { FlvJoiner } from '../../../device/media/rtmp/flv-joiner.ts';
import { RtmpPlaying } from '../../../device/media/rtmp/rtmp-playing.ts';
import { pieces, refusing, type FuzzTarget } from '../target.ts';

const GREETING = Buffer.concat([Buffer.from([3]), Buffer.alloc(2 * 1536)]);
const message = (type: number, body: Buffer): Buffer => writeChunks({ type, stream: 1, body }, 4, 128);
const command = (...values: Amf[]): Buffer => message(20, writeAmf(...values));
const status = (level: string, code: string): Buffer =>
  command('onStatus', 0, null, { level, code, description: 'why' });
const tag = (type: number, time: number, body: string): Buffer => {
  const bytes = Buffer.from(body, 'hex');
  const head = Buffer.alloc(11);
  head[0] = type;
  head.writeUIntBE(bytes.length, 1, 3);
  head.writeUIntBE(time, 4, 3);
  return Buffer.concat([head, bytes, Buffer.alloc(4)]);
};

const PLAYING = [command('_result', 1, {}, { level: 'status' }), command('_result', 2, null, 1)];
const MEDIA = [
  message(18, writeAmf('onMetaData', { framerate: 25 })),
  message(9, Buffer.from('17000000000142c00a', 'hex')),
  message(9, Buffer.from('1701000000000000', 'hex')),
  message(22, Buffer.concat([tag(8, 20, 'af001190'), tag(9, 40, '2701000000'), tag(22, 40, '00')])),
];

export const target: FuzzTarget = {
  seeds: [
    Buffer.concat([Buffer.from([0]), ...PLAYING, status('status', 'NetStream.Play.Start'), ...MEDIA]),
    Buffer.concat([Buffer.from([1]), ...PLAYING, ...MEDIA, status('status', 'NetStream.Play.UnpublishNotify')]),
    Buffer.concat([Buffer.from([2]), ...PLAYING, status('error', 'NetStream.Play.StreamNotFound')]),
    Buffer.concat([Buffer.from([3]), command('_error', 1, null, { ex: { code: 302, redirect: 'rtmp://h/a' } })]),
  ],
  run(bytes) {
    let [sent, refused, over] = [0, 0, 0];
    const joiner = new FlvJoiner();
    const playing = new RtmpPlaying(
      { url: 'rtmp://h:1935/app', app: 'app', key: 'key' },
      {
        send: (answer) => void (sent += answer.length),
        onMedia(received) {
          assert.ok([8, 9, 18].includes(received.type) && refused + over === 0);
          joiner.take(received);
        },
        onRefused: ({ words, redirect = '' }) => {
          assert.deepEqual([typeof words, typeof redirect], ['string', 'string']);
          refused += 1;
        },
        onOver: () => void (over += 1),
      },
    );
    playing.start();
    refusing([RangeError, TypeError], () => {
      for (const part of [GREETING, ...pieces(bytes.subarray(1), bytes[0] ?? 0)]) playing.push(Buffer.from(part));
    });
    assert.ok(refused + over <= 1);
    assert.ok(sent <= 8192 + 32 * bytes.length, `${sent} bytes are answered to ${bytes.length}`);
  },
};
