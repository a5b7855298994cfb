/**
 * User and password at an RTMP server: the schemes adobe (Flash Media Server, Wowza, Akamai) and llnw (Limelight), as FMLE and ffmpeg speak
 * them. The server rejects `connect` with a challenge; the next `connect` has the answer behind its application. The password is never sent.
 */
import { createHash, randomBytes } from 'node:crypto';

export interface Credentials {
  username: string;
  password: string;
}

/** The query for the next connect, or the half sentence that the server refuses with. */
export type AuthenticationStep = { query: string } | { refusal: string };

const SCHEMES = ['adobe', 'llnw'] as const;
/** The only count of a nonce that is used once. */
const NONCE_COUNT = '00000001';

export class RtmpAuthentication {
  private readonly credentials: Credentials | undefined;
  private readonly clientNonce: () => string;
  private hasNamed = false;
  private hasAnswered = false;

  constructor(credentials: Credentials | undefined, clientNonce = () => randomBytes(4).toString('hex')) {
    this.credentials = credentials;
    this.clientNonce = clientNonce;
  }

  /** `words` are those of the rejection, `app` the application without a query of ours. Returns undefined for a rejection of another kind. */
  next(words: string, app: string): AuthenticationStep | undefined {
    const named = /\bauthmod=(\w{1,20})/u.exec(words)?.[1];
    if (named === undefined) return undefined;
    const scheme = SCHEMES.find((one) => one === named);
    if (scheme === undefined)
      return { refusal: `asks for an authentication (${named}) that is not known here; use a stream key` };
    if (this.credentials === undefined) return { refusal: 'asks for a user and a password; set username and password' };
    const { username } = this.credentials;
    const head = `authmod=${scheme}&user=${username.replace(/[&?#\s]/gu, encodeURIComponent)}`;
    const challenge = /\?(reason=needauth\S*)/u.exec(words)?.[1];
    if (challenge !== undefined && !this.hasAnswered) {
      this.hasAnswered = true;
      return { query: `${head}&${this.answer(scheme, valuesOf(challenge), app)}` };
    }
    if (challenge === undefined && !/[?&]reason=/u.test(words) && !this.hasNamed) {
      this.hasNamed = true;
      return { query: head };
    }
    return { refusal: 'does not take the user or the password; check username and password' };
  }

  private answer(scheme: (typeof SCHEMES)[number], given: ReadonlyMap<string, string>, app: string): string {
    const { username, password } = this.credentials!;
    const own = this.clientNonce();
    if (scheme === 'adobe') {
      const opaque = given.get('opaque');
      const secret = md5(`${username}${given.get('salt') ?? ''}${password}`, 'base64');
      const response = md5(`${secret}${opaque ?? given.get('challenge') ?? ''}${own}`, 'base64');
      return `challenge=${own}&response=${response}${opaque === undefined ? '' : `&opaque=${opaque}`}`;
    }
    const nonce = given.get('nonce') ?? '';
    const [place = ''] = app.split('?');
    const secret = md5(`${username}:live:${password}`, 'hex');
    const method = md5(`publish:/${place}${place.includes('/') ? '' : '/_definst_'}`, 'hex');
    const response = md5(`${secret}:${nonce}:${NONCE_COUNT}:${own}:auth:${method}`, 'hex');
    return `nonce=${nonce}&cnonce=${own}&nc=${NONCE_COUNT}&response=${response}`;
  }
}

/** Values are taken as they are: an opaque of base64 has signs of its own. */
function valuesOf(query: string): Map<string, string> {
  return new Map(
    query.split('&').map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [name, value.join('=')] as const;
    }),
  );
}

function md5(text: string, form: 'base64' | 'hex'): string {
  return createHash('md5').update(text).digest(form);
}
