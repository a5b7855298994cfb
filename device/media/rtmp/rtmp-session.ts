/** One pusher's side of RTMP 1.0 (Adobe, 2012): handshake §5.2, connect, createStream and publish §7.2. It holds no socket. */
import { randomBytes } from 'node:crypto';
import { readAmf, writeAmf, type Amf } from './rtmp-amf0.ts';
import { ENHANCED_CODECS } from './enhanced-codecs.ts';
import { ChunkReader, writeChunks, type RtmpMessage } from './rtmp-chunks.ts';

export interface RtmpHooks {
  send(bytes: Buffer): void;
  /** Returns undefined to admit the pusher, otherwise the sentence that it is refused with. */
  admit(app: string, key: string): string | undefined;
  /** Takes audio (8), video (9) and metadata (18), only of a pusher that has been admitted. */
  onMedia(message: RtmpMessage): void;
  /** Nothing more will come that matters. */
  onDone(): void;
}

const HANDSHAKE_BYTES = 1536;
const WINDOW_BYTES = 2_500_000;
const CHUNK_BYTES = 4096;
/** createStream gives out one media stream alone. */
const STREAM = 1;
/** Enhanced RTMP v2 has a server tell of itself: it can decode these codecs, and takes several tracks and modifiers. */
const CAN_DECODE = 1;
const [MULTITRACK, MOD_EX] = [2, 4];
const ENHANCED = {
  capsEx: MULTITRACK | MOD_EX,
  videoFourCcInfoMap: codecsOf('video'),
  audioFourCcInfoMap: codecsOf('audio'),
};

export class RtmpSession {
  private readonly hooks: RtmpHooks;
  private readonly chunks = new ChunkReader((message) => this.message(message));
  private greeting: Buffer = Buffer.alloc(0);
  private step: 'hello' | 'echo' | 'messages' | 'done' = 'hello';
  private app: string | undefined;
  private received = 0;
  private acknowledged = 0;
  private window = WINDOW_BYTES;
  publishing = false;

  constructor(hooks: RtmpHooks) {
    this.hooks = hooks;
  }

  /** Throws for bytes that are not RTMP, or out of bounds. */
  push(bytes: Buffer): void {
    this.received += bytes.length;
    if (this.step === 'messages') this.chunks.push(bytes);
    else if (this.step !== 'done') this.shake(bytes);
    if (this.received - this.acknowledged < this.window / 2) return;
    this.acknowledged = this.received;
    this.control(3, this.received >>> 0);
  }

  /** S0, S1 and S2 answer C0 and C1; C2 is an echo of ours that nobody needs. */
  private shake(bytes: Buffer): void {
    this.greeting = Buffer.concat([this.greeting, bytes]);
    if (this.greeting.length > 0 && this.greeting[0] !== 3 && this.step === 'hello')
      throw new TypeError('This is not RTMP version 3.');
    if (this.step === 'hello' && this.greeting.length > HANDSHAKE_BYTES) {
      const theirs = this.greeting.subarray(1, HANDSHAKE_BYTES + 1);
      // Version bytes of zero in S1 announce the plain handshake, without digests.
      const ours = Buffer.concat([Buffer.alloc(8), randomBytes(HANDSHAKE_BYTES - 8)]);
      this.hooks.send(Buffer.concat([Buffer.from([3]), ours, theirs]));
      this.step = 'echo';
    }
    if (this.step !== 'echo' || this.greeting.length < 2 * HANDSHAKE_BYTES + 1) return;
    const rest = this.greeting.subarray(2 * HANDSHAKE_BYTES + 1);
    this.step = 'messages';
    this.greeting = Buffer.alloc(0);
    this.chunks.push(rest);
  }

  private message(message: RtmpMessage): void {
    const { type, body } = message;
    if (this.step === 'done') return;
    // A window may be as small as it likes, but an acknowledgement a packet would be a flood of our own making.
    if (type === 5) this.window = Math.max(body.readUInt32BE(0), 65_536);
    else if (type === 20) this.command(readAmf(body));
    // AMF3 commands begin with a zero and go on in AMF0.
    else if (type === 17) this.command(readAmf(body.subarray(1)));
    else if (type === 8 || type === 9 || type === 18) {
      if (!this.publishing) throw new TypeError('Media came before a publish was let in.');
      this.hooks.onMedia(message);
    }
  }

  private command([name, transaction, object, ...args]: Amf[]): void {
    if (name === 'connect') return this.connect(transaction, object);
    if (name === 'createStream') return this.reply(0, '_result', transaction, null, STREAM);
    if (name === 'publish') return this.publish(args[0]);
    if (name === 'play') return this.end('NetStream.Play.Failed', 'Nothing is played here.');
    const ends = name === 'deleteStream' || name === 'closeStream' || name === 'FCUnpublish';
    if (ends && this.publishing) this.done();
  }

  private connect(transaction: Amf, object: Amf): void {
    const app = typeof object === 'object' && object !== null ? object.app : undefined;
    if (typeof app !== 'string') throw new TypeError('connect names no application.');
    this.app = app;
    this.control(5, WINDOW_BYTES);
    this.hooks.send(writeChunks({ type: 6, stream: 0, body: Buffer.from([0, 0x26, 0x25, 0xa0, 2]) }, 2, CHUNK_BYTES));
    this.control(1, CHUNK_BYTES);
    const info = { ...status('status', 'NetConnection.Connect.Success', 'Connected.'), objectEncoding: 0 };
    this.reply(0, '_result', transaction, { fmsVer: 'FMS/3,0,1,123', capabilities: 31, ...ENHANCED }, info);
  }

  /** Application and key are checked together, so that nobody learns which of the two was right. */
  private publish(key: Amf): void {
    if (this.publishing) throw new TypeError('A second publish on one connection.');
    // An encoder without a key may name none.
    const name = typeof key === 'string' ? key : '';
    const refusal = this.app === undefined ? 'No connect came first.' : this.hooks.admit(this.app, name);
    if (refusal !== undefined) return this.end('NetStream.Publish.BadName', refusal);
    this.publishing = true;
    this.chunks.allowMedia();
    this.reply(STREAM, 'onStatus', 0, null, status('status', 'NetStream.Publish.Start', 'Publishing.'));
  }

  /** Ends a publisher that was let in. */
  refuse(text: string): void {
    this.end('NetStream.Publish.Rejected', text);
  }

  private end(code: string, text: string): void {
    this.reply(STREAM, 'onStatus', 0, null, status('error', code, text));
    this.done();
  }

  private done(): void {
    this.step = 'done';
    this.hooks.onDone();
  }

  private reply(stream: number, ...values: Amf[]): void {
    this.hooks.send(writeChunks({ type: 20, stream, body: writeAmf(...values) }, 3, CHUNK_BYTES));
  }

  private control(type: number, value: number): void {
    const body = Buffer.alloc(4);
    body.writeUInt32BE(value);
    // The size of our own chunks counts from the next message on; the control messages fit into any.
    this.hooks.send(writeChunks({ type, stream: 0, body }, 2, CHUNK_BYTES));
  }
}

function codecsOf(kind: 'video' | 'audio'): { [key: string]: Amf } {
  const codecs = Object.entries(ENHANCED_CODECS).filter(([, codec]) => codec.kind === kind);
  return Object.fromEntries(codecs.map(([fourCc]) => [fourCc, CAN_DECODE]));
}

function status(level: string, code: string, description: string): { [key: string]: Amf } {
  return { level, code, description };
}
