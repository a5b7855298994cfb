/**
 * The channel between a control plane and the agent of another machine: TLS 1.2 with a pre-shared key (RFC 5489, RFC 7905). There is no
 * certificate: the key alone proves the other side. docs/decisions/device-pairing.md says why.
 */
import { constants, hkdfSync, randomBytes, randomInt } from 'node:crypto';
import { connect, type SecureContextOptions, type TLSSocket } from 'node:tls';
import { keyIdentity } from '../../domain/shapes/sources/channel-key.ts';

/**
 * An ephemeral exchange beside the key keeps a recorded session closed to anybody who learns the key later. TLS 1.3 would do the same, but
 * Node 20 offers pre-shared keys with TLS 1.2 only.
 */
export const CHANNEL: SecureContextOptions = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
  // A resumed session would outlive the key that it was made with.
  secureOptions: constants.SSL_OP_NO_TICKET,
};

/**
 * The hint is sent in the clear before the handshake needs a key, so that a refusal can be explained. A forged hint changes the words of an
 * error and nothing else.
 */
export const HINTS = { unpaired: 'onair-unpaired', paired: 'onair-paired', paused: 'onair-paused' } as const;
/** That of a server which Devices dial. */
export const DIAL_HINT = 'onair-open';
export type PairingState = keyof typeof HINTS;

export interface Credentials {
  register_username: string;
  register_password: string;
}

/** The letters leave out 0, O, 1, I and L, which people mix up. */
const LETTERS = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';

/** 20 letters of 31 are 99 bits: nobody who has recorded a handshake finds that by trying. */
export function newCredentials(): Credentials {
  const letters = Array.from({ length: 20 }, () => LETTERS[randomInt(LETTERS.length)] ?? '').join('');
  return {
    register_username: `device-${randomBytes(3).toString('hex')}`,
    register_password: letters.replace(/(.{5})(?=.)/gu, '$1-'),
  };
}

export function isKey(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{43}$/u.test(value);
}

export interface Secret {
  identity: string;
  psk: Buffer;
}

/** The one-time secret. People type the password, so case, spaces and dashes do not count. */
export function pairingSecret({ register_username, register_password }: Credentials): Secret {
  const letters = register_password.toUpperCase().replace(/[^0-9A-Z]/gu, '');
  return {
    identity: `pair:${register_username.trim()}`,
    psk: Buffer.from(hkdfSync('sha256', letters, register_username.trim(), 'onair device pairing', 32)),
  };
}

/** The lasting secret. Its identity on the wire tells nothing of the key. */
export function keySecret(key: string): Secret {
  return { identity: keyIdentity(key), psk: Buffer.from(key, 'base64url') };
}

/** Opens the channel. The socket takes data at once; a refused handshake is its error. */
export function dial(
  { host, port }: { host: string; port: number },
  secret: Secret,
  onHint: (hint: string) => void = () => undefined,
): TLSSocket {
  const socket = connect({
    ...CHANNEL,
    host,
    port,
    // There is no certificate to check; the key proves the other side.
    checkServerIdentity: () => undefined,
    pskCallback: (hint) => {
      onHint(hint ?? '');
      return { identity: secret.identity, psk: secret.psk };
    },
  });
  // A request listens for as long as it lasts; a reset that comes later must not end the process.
  return socket.on('error', () => undefined);
}
