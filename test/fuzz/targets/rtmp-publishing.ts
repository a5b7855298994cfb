/** No answer of a server ends the runner that publishes to it, or makes it answer more than it was sent. */
import assert from 'node:assert/strict';
import { writeAmf, type Amf } from '../../../device/media/rtmp/rtmp-amf0.ts';
import { writeChunks } from '../../../device/media/rtmp/rtmp-chunks.ts';
import { RtmpPublishing } from '../../../device/media/rtmp/rtmp-publishing.ts';
import { pieces, refusing, type FuzzTarget } from '../target.ts';

const GREETING = Buffer.concat([Buffer.from([3]), Buffer.alloc(2 * 1536)]);
const command = (...values: Amf[]): Buffer => writeChunks({ type: 20, stream: 0, body: writeAmf(...values) }, 3, 128);
const control = (type: number, body: string): Buffer =>
  writeChunks({ type, stream: 0, body: Buffer.from(body, 'hex') }, 2, 128);
const status = (level: string, code: string): Buffer =>
  command('onStatus', 0, null, { level, code, description: 'why' });

const CONNECTED = [command('_result', 1, {}, { level: 'status' }), command('_result', 4, null, 1)];

export const target: FuzzTarget = {
  seeds: [
    Buffer.concat([Buffer.from([0]), ...CONNECTED, status('status', 'NetStream.Publish.Start')]),
    Buffer.concat([Buffer.from([1]), ...CONNECTED, status('error', 'NetStream.Publish.BadName')]),
    Buffer.concat([
      Buffer.from([2]),
      command('_error', 1, null, { description: 'no', ex: { code: 302, redirect: 'rtmp://h/a' } }),
    ]),
    // A window, a ping, an acknowledgement, chunks of another size.
    Buffer.concat([
      Buffer.from([3]),
      ...[control(5, '00000010'), control(4, '000600001234'), control(3, 'fffffff0'), control(1, '00000100')],
      ...CONNECTED,
    ]),
  ],
  run(bytes) {
    let [sent, accepted, refused] = [0, 0, 0];
    const publishing = new RtmpPublishing(
      { url: 'rtmp://h:1935/app', app: 'app', key: 'key' },
      {
        send: (answer) => void (sent += answer.length),
        onPublishing: () => void (accepted += 1),
        onRefused: ({ words, redirect = '' }) => {
          assert.deepEqual([typeof words, typeof redirect], ['string', 'string']);
          refused += 1;
        },
      },
    );
    publishing.start();
    refusing([RangeError, TypeError], () => {
      for (const part of [GREETING, ...pieces(bytes.subarray(1), bytes[0] ?? 0)]) publishing.push(Buffer.from(part));
    });
    publishing.finish();
    assert.ok(accepted <= 1 && refused <= 1);
    assert.ok(publishing.acknowledged >= 0);
    assert.ok(sent <= 8192 + 32 * bytes.length, `${sent} bytes are answered to ${bytes.length}`);
  },
};
