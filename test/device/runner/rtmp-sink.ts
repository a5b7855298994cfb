/** An RTMP server of the tests that keeps what it is given, and what can be said of it: pictures as an elementary stream, tag by tag. */
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { AddressInfo } from 'node:net';
import type { RtmpMessage } from '../../../device/media/rtmp/rtmp-chunks.ts';
import { RtmpSession } from '../../../device/media/rtmp/rtmp-session.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';

export interface RtmpSink {
  port: number;
  /** Messages of all publishers, in order. */
  messages: RtmpMessage[];
  /** Publishers that were let in. */
  admitted: { app: string; key: string; at: number }[];
  /** The refusal that publishers get from now on; with undefined they are let in. */
  refuse(text: string | undefined): void;
  /** Ends the connections, as a server that restarts. */
  drop(): void;
}

/** `tls`: with this key and certificate (PEM). `onMessage` gets each message as it comes. */
export async function rtmpSink(
  t: TestScope,
  tls?: { key: string; cert: string },
  onMessage: (message: RtmpMessage) => void = () => undefined,
): Promise<RtmpSink> {
  const messages: RtmpMessage[] = [];
  const admitted: RtmpSink['admitted'] = [];
  const sockets = new Set<Socket>();
  let refusal: string | undefined;
  const welcome = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    const session = new RtmpSession({
      send: (bytes) => void socket.write(bytes),
      admit(app, key) {
        if (refusal === undefined) admitted.push({ app, key, at: performance.now() });
        return refusal;
      },
      onMedia(message) {
        onMessage(message);
        messages.push({ ...message, body: Buffer.from(message.body) });
      },
      onDone: () => void socket.end(),
    });
    socket.on('data', (bytes: Buffer) => session.push(bytes));
  };
  const server: Server = tls === undefined ? createServer(welcome) : createTlsServer(tls, welcome);
  // A publisher that does not trust the certificate leaves in the middle of the handshake.
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  cleanUp(t, () => {
    drop();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, messages, admitted, drop, refuse: (text) => (refusal = text) };
}

/** FLV as messages, as a server takes them out of a stream. Throws for what is no whole tag. */
export function flvMessages(flv: Buffer): RtmpMessage[] {
  if (flv.toString('latin1', 0, 3) !== 'FLV') throw new Error('This is not FLV.');
  const messages: RtmpMessage[] = [];
  let at = flv.readUInt32BE(5) + 4;
  while (at < flv.length) {
    const size = flv.readUIntBE(at + 1, 3);
    const time = flv.readUIntBE(at + 4, 3) + flv[at + 7]! * 2 ** 24;
    const end = at + 11 + size;
    if (flv.readUInt32BE(end) !== 11 + size) throw new Error(`The tag at ${at} does not end with its length.`);
    messages.push({ type: flv[at]!, time, stream: 1, body: flv.subarray(at + 11, end) });
    at = end + 4;
  }
  return messages;
}

export interface Pictures {
  /** Parameter sets and pictures, Annex B. */
  annexB: Buffer;
  frames: { ms: number; delayMs: number; key: boolean }[];
  configurations: number;
}

interface Tag {
  packet: 'start' | 'frame';
  delayMs: number;
  data: Buffer;
  setsOf(record: Buffer): Buffer[];
}

const START_CODE = Buffer.from([0, 0, 0, 1]);

/** Video read by the text of FLV (annex E.4.3) or of Enhanced RTMP v1 (ExVideoTagHeader), NAL units behind lengths of four bytes. */
export function picturesIn(messages: readonly Omit<RtmpMessage, 'stream'>[]): Pictures {
  const parts: Buffer[] = [];
  const frames: Pictures['frames'] = [];
  let configurations = 0;
  for (const { type, time, body } of messages) {
    if (type !== 9) continue;
    const { packet, delayMs, data, setsOf } = (body[0]! & 0x80) === 0 ? avcTag(body) : hevcTag(body);
    if (packet === 'start') {
      configurations += 1;
      for (const nal of setsOf(data)) parts.push(START_CODE, nal);
      continue;
    }
    frames.push({ ms: time, delayMs, key: ((body[0]! >> 4) & 7) === 1 });
    for (let at = 0; at < data.length;) {
      const length = data.readUInt32BE(at);
      if (at + 4 + length > data.length) throw new Error('A NAL unit is longer than its tag.');
      parts.push(START_CODE, data.subarray(at + 4, at + 4 + length));
      at += 4 + length;
    }
  }
  return { annexB: Buffer.concat(parts), frames, configurations };
}

function avcTag(body: Buffer): Tag {
  if ((body[0]! & 15) !== 7 || body[1]! > 1) throw new Error(`Not a video tag of AVC: ${body.toString('hex', 0, 5)}`);
  const packet = body[1] === 0 ? 'start' : 'frame';
  return { packet, delayMs: body.readIntBE(2, 3), data: body.subarray(5), setsOf: avcSetsOf };
}

function hevcTag(body: Buffer): Tag {
  if (body.toString('latin1', 1, 5) !== 'hvc1')
    throw new Error(`Not an extended video tag of hvc1: ${body.toString('hex', 0, 5)}`);
  const packet = body[0]! & 15;
  if (packet !== 0 && packet !== 1 && packet !== 3) throw new Error(`Packet type ${packet}`);
  const delayMs = packet === 1 ? body.readIntBE(5, 3) : 0;
  return {
    packet: packet === 0 ? 'start' : 'frame',
    delayMs,
    data: body.subarray(packet === 1 ? 8 : 5),
    setsOf: hevcSetsOf,
  };
}

/** AVCDecoderConfigurationRecord, ISO/IEC 14496-15 §5.3.3.1. */
function avcSetsOf(record: Buffer): Buffer[] {
  if (record[0] !== 1 || (record[4]! & 3) !== 3) throw new Error('Not a record with NAL lengths of four bytes.');
  const sets: Buffer[] = [];
  let at = 5;
  for (const mask of [0x1f, 0xff]) at = take(record, at + 1, record[at]! & mask, sets);
  // Profiles above Main have four bytes more.
  if (record.length - at !== (record[1]! > 88 ? 4 : 0)) throw new Error('The record does not end with its last set.');
  return sets;
}

/** HEVCDecoderConfigurationRecord, ISO/IEC 14496-15 §8.3.3.1. */
function hevcSetsOf(record: Buffer): Buffer[] {
  if (record[0] !== 1 || (record[21]! & 3) !== 3) throw new Error('Not a record with NAL lengths of four bytes.');
  const sets: Buffer[] = [];
  let at = 23;
  for (let array = 0; array < record[22]!; array += 1) at = take(record, at + 3, record.readUInt16BE(at + 1), sets);
  if (at !== record.length) throw new Error('The record does not end with its last array.');
  return sets;
}

/** Reads so many sets behind lengths of two bytes; returns where they end. */
function take(record: Buffer, from: number, count: number, sets: Buffer[]): number {
  let at = from;
  for (let i = 0; i < count; i += 1) {
    const length = record.readUInt16BE(at);
    sets.push(record.subarray(at + 2, at + 2 + length));
    at += 2 + length;
  }
  return at;
}
