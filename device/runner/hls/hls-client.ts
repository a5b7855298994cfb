/** Asks for playlists, segments, keys and files of one source: every address is checked, those that it is redirected to as well. */
import { Agent as HttpAgent, request as httpRequest, STATUS_CODES, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { anySignal } from '../../../domain/base/any-signal.ts';
import { bareHost, NetworkRefusal, type Reach } from '../../../domain/network/networks.ts';
import { sourceReason, SourceTrouble, troubleOfConnection } from '../../media/ffmpeg-output/source-reason.ts';
import { Cookies } from '../../media/hls/cookies.ts';
import type { ByteRange } from '../../media/hls/playlist.ts';
import { NotRead } from '../../media/units/track.ts';

/** A connection may be without a byte for so long. */
const SILENT_MS = 5000;
/** Nothing that is so slow can be shown. */
const MAX_FILE_MS = 60_000;
const MAX_REDIRECTS = 10;
const CONNECTIONS = 6;

export interface Answer {
  body: Buffer;
  /** The address that has answered. */
  url: string;
}

export class HlsClient {
  private readonly reach: Reach;
  private readonly cookies: Cookies;
  private readonly http: HttpAgent;
  private readonly https: HttpsAgent;

  /** `authorities`: PEM, for https. */
  constructor(reach: Reach, authorities: () => string[], now: () => number) {
    this.reach = reach;
    this.cookies = new Cookies(now);
    const common = { keepAlive: true, maxSockets: CONNECTIONS, lookup: reach.lookup } as const;
    this.http = new HttpAgent(common);
    this.https = new HttpsAgent({ ...common, ca: authorities() });
  }

  close(): void {
    this.http.destroy();
    this.https.destroy();
  }

  /**
   * Rejects with SourceTrouble, with NetworkRefusal for an address that may not be reached, and with NotRead for one that ffmpeg has to be
   * asked about.
   */
  async get(address: string, maxBytes: number, signal: AbortSignal, range?: ByteRange): Promise<Answer> {
    const whole = anySignal([signal, AbortSignal.timeout(MAX_FILE_MS)]);
    const { response, url } = await this.open(address, whole, range);
    const body = await bodyOf(response, maxBytes).catch((error: unknown) => {
      throw this.failure(error);
    });
    // A server that knows no ranges answers with all of the file.
    const from = range !== undefined && response.statusCode === 200 ? range.offset : 0;
    return { body: range === undefined ? body : body.subarray(from, from + range.length), url };
  }

  /** Resolves with an answer that is good, whose body is still to come. Rejects as `get` does. */
  async open(
    address: string,
    signal: AbortSignal,
    range?: ByteRange,
  ): Promise<{ response: IncomingMessage; url: string }> {
    let url = new URL(address);
    for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
      const response = await this.ask(url, signal, range).catch((error: unknown) => {
        throw this.failure(error);
      });
      this.cookies.set(url, response.headers['set-cookie'] ?? []);
      const { statusCode: status = 0, headers } = response;
      const location = status >= 300 && status < 400 ? headers.location : undefined;
      if (location === undefined) {
        assertGood(response, url);
        return { response, url: url.href };
      }
      response.destroy();
      if (!URL.canParse(location, url.href)) break;
      url = new URL(location, url);
    }
    throw new SourceTrouble('its server redirects without an end');
  }

  private ask(url: URL, signal: AbortSignal, range: ByteRange | undefined): Promise<IncomingMessage> {
    const isSecure = url.protocol === 'https:';
    if (!isSecure && url.protocol !== 'http:') throw new NotRead(`It leads to an address with ${url.protocol}`);
    // A socket looks names up, and takes an address as it is.
    this.reach.assertHost(bareHost(url.hostname));
    const cookie = this.cookies.header(url);
    const headers = {
      'User-Agent': 'onair',
      Accept: '*/*',
      ...(cookie !== undefined && { Cookie: cookie }),
      ...(range !== undefined && { Range: `bytes=${range.offset}-${range.offset + range.length - 1}` }),
    };
    const auth = [url.username, url.password].map(decodeURIComponent).join(':');
    return new Promise((resolve, reject) => {
      const send = isSecure ? httpsRequest : httpRequest;
      const agent = isSecure ? this.https : this.http;
      const sent = send(url, { headers, agent, signal, ...(auth !== ':' && { auth }) }, resolve);
      sent.setTimeout(SILENT_MS, () =>
        sent.destroy(new SourceTrouble('its address does not answer in time (timed out)')),
      );
      sent.once('error', reject);
      sent.end();
    });
  }

  private failure(error: unknown): unknown {
    const isKnown = error instanceof SourceTrouble || error instanceof NetworkRefusal || error instanceof NotRead;
    return isKnown ? error : troubleOfConnection(error as NodeJS.ErrnoException);
  }
}

/** An answer that is an error. */
export class AnswerTrouble extends SourceTrouble {
  readonly status: number;
  /** The status in the words of HTTP. */
  readonly words: string;

  constructor(status: number) {
    const words = `${status} ${STATUS_CODES[status] ?? ''}`.trim();
    const { why, isRefusal } = sourceReason(`HTTP error ${words}`) ?? {
      why: `its server answers with an error (${words})`,
      isRefusal: false,
    };
    super(why, `HTTP error ${words}`, undefined, isRefusal);
    this.status = status;
    this.words = words;
  }
}

function assertGood(response: IncomingMessage, url: URL): void {
  const { statusCode: status = 0, headers } = response;
  if (status >= 200 && status < 300) return;
  response.destroy();
  if (status === 401 && url.username !== '' && /^digest/iu.test(headers['www-authenticate'] ?? ''))
    throw new NotRead('Its server wants Digest.');
  throw new AnswerTrouble(status);
}

async function bodyOf(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new SourceTrouble(`a file of it is longer than ${maxBytes >> 20} MB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
