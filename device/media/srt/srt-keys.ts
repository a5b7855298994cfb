/**
 * The encryption of one SRT caller (draft-sharabayko-srt-01 §3.2.2 and §6): its key material is opened with the passphrase, and its media with
 * the keys in there. A sender has two of them, even and odd, and renews one while it uses the other.
 */
import { createDecipheriv, createSecretKey, pbkdf2, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

const HEADER_BYTES = 16;
/** Version 1, key material, the letters HAI, 5 bits each. */
const SIGN = 0x122029;
const SALT_BYTES = 16;
const KEY_BYTES = [16, 24, 32];
/** The integrity check of AES Key Wrap (RFC 3394) adds them. */
const WRAP_BYTES = 8;
const WRAP_IV = Buffer.alloc(WRAP_BYTES, 0xa6);
const KDF_ROUNDS = 2048;
const [AES_CTR, AES_GCM, NO_AUTHENTICATION, OVER_SRT] = [2, 4, 0, 2];
/** Positions in key material. */
const AT = { flags: 3, cipher: 8, authentication: 9, encapsulation: 10, salt: 14, key: 15 } as const;
/** Control packets of type 0x7fff, with the kind as subtype. */
const [KEY_REQUEST, KEY_ANSWER] = [0xffff_0003, 0xffff_0004];
/** A derivation costs 1 to 5 ms of CPU. libsrt needs one: it keeps the salt when it renews a key. */
const MAX_WRONG = 4;

const derive = promisify(pbkdf2);

export interface KeyMaterial {
  /** Which keys are in there, the even one first. */
  holds: ('even' | 'odd')[];
  salt: Buffer;
  keyBytes: number;
  wrapped: Buffer;
}

/** Returns undefined for what no listener takes. */
export function readKeyMaterial(message: Buffer): KeyMaterial | undefined {
  if (message.length < HEADER_BYTES || message.readUIntBE(0, 3) !== SIGN) return undefined;
  const flags = message[AT.flags]! & 3;
  const holds = (['even', 'odd'] as const).filter((_, bit) => (flags >> bit) & 1);
  const [saltBytes, keyBytes] = [4 * message[AT.salt]!, 4 * message[AT.key]!];
  const isKnown =
    message[AT.cipher] === AES_CTR &&
    message[AT.authentication] === NO_AUTHENTICATION &&
    message[AT.encapsulation] === OVER_SRT;
  if (!isKnown || holds.length === 0 || saltBytes !== SALT_BYTES || !KEY_BYTES.includes(keyBytes)) return undefined;
  const wrapped = message.subarray(HEADER_BYTES + SALT_BYTES);
  if (wrapped.length !== holds.length * keyBytes + WRAP_BYTES) return undefined;
  return { holds, salt: message.subarray(HEADER_BYTES, HEADER_BYTES + SALT_BYTES), keyBytes, wrapped };
}

/** AES-GCM is a preview of libsrt that its usual builds do not have, and of which there are two forms. */
export function asksForGcm(message: Buffer): boolean {
  return message[AT.cipher] === AES_GCM;
}

/** Returns undefined where the key, and so the passphrase, is a wrong one. */
export function unwrapKeys({ keyBytes, wrapped }: KeyMaterial, wrappingKey: Buffer): Buffer | undefined {
  try {
    const decipher = createDecipheriv(`id-aes${8 * keyBytes}-wrap`, wrappingKey, WRAP_IV);
    return Buffer.concat([decipher.update(wrapped), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** The key material with which a connected caller renews a key. */
export function keyRequestOf(data: Buffer): Buffer | undefined {
  return data.length > HEADER_BYTES && data.readUInt32BE(0) === KEY_REQUEST ? data.subarray(HEADER_BYTES) : undefined;
}

/** The request goes back to the socket of the caller, as it came. */
export function keyAnswer(request: Buffer, socketId: number): Buffer {
  const answer = Buffer.from(request);
  answer.writeUInt32BE(KEY_ANSWER, 0);
  answer.writeUInt32BE(socketId, 12);
  return answer;
}

interface MediaKey {
  cipher: string;
  key: KeyObject;
  salt: Buffer;
}

export class SrtKeys {
  private readonly passphrase: string;
  private wrapping: { salt: Buffer; key: Buffer } | undefined;
  private keys: { even?: MediaKey; odd?: MediaKey } = {};
  private isDeriving = false;
  private wrong = 0;

  constructor(passphrase: string) {
    this.passphrase = passphrase;
  }

  /** Resolves with whether the passphrase opens this key material. Strangers bring it about: it does not throw, and what it costs is bounded. */
  async take(message: Buffer): Promise<boolean> {
    const material = readKeyMaterial(message);
    if (material === undefined) return false;
    const { salt, keyBytes, holds } = material;
    const wrappingKey = await this.wrappingKey(material);
    if (wrappingKey === undefined) return false;
    const unwrapped = unwrapKeys(material, wrappingKey);
    if (unwrapped === undefined) {
      this.wrong += 1;
      return false;
    }
    this.wrapping = { salt, key: wrappingKey };
    for (const [n, name] of holds.entries()) {
      const key = createSecretKey(unwrapped.subarray(n * keyBytes, (n + 1) * keyBytes));
      this.keys[name] = { cipher: `aes-${8 * keyBytes}-ctr`, key, salt };
    }
    return true;
  }

  /**
   * A packet of control as it is, one of media in clear; undefined for media that cannot be decrypted, are not encrypted, or are the parity of
   * others.
   */
  inClear(packet: Buffer): Buffer | undefined {
    if (packet.length < HEADER_BYTES) return undefined;
    if (packet[0]! >= 0x80) return packet;
    const field = packet.readUInt32BE(4);
    const name = ([undefined, 'even', 'odd', undefined] as const)[(field >>> 27) & 3];
    const media = name && this.keys[name];
    if (media === undefined || (field & 0x03ff_ffff) === 0) return undefined;
    // 14 bytes of the salt, its last four of them combined with the number of the packet, and the number of the block.
    const counter = Buffer.alloc(SALT_BYTES);
    media.salt.copy(counter, 0, 0, 14);
    counter.writeUInt32BE((counter.readUInt32BE(10) ^ packet.readUInt32BE(0)) >>> 0, 10);
    const decipher = createDecipheriv(media.cipher, media.key, counter);
    const clear = Buffer.concat([packet.subarray(0, HEADER_BYTES), decipher.update(packet.subarray(HEADER_BYTES))]);
    clear.writeUInt32BE((field & ~0x1800_0000) >>> 0, 4);
    return clear;
  }

  private async wrappingKey({ salt, keyBytes }: KeyMaterial): Promise<Buffer | undefined> {
    const known = this.wrapping;
    if (known?.key.length === keyBytes && known.salt.equals(salt)) return known.key;
    if (this.isDeriving || this.wrong >= MAX_WRONG) return undefined;
    this.isDeriving = true;
    // Without a key nothing is let in, whatever the reason.
    const key = await derive(this.passphrase, salt.subarray(8), KDF_ROUNDS, keyBytes, 'sha1').catch(() => undefined);
    this.isDeriving = false;
    return key;
  }
}
