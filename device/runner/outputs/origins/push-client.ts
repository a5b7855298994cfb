/** Writes files to an origin by HTTP PUT, WebDAV (RFC 4918) or signed requests to a bucket, over connections that are kept. */
import {
  request as httpRequest,
  Agent as HttpAgent,
  STATUS_CODES,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { request as httpsRequest, Agent as HttpsAgent } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { anySignal } from '../../../../domain/base/any-signal.ts';
import type { Reach } from '../../../../domain/network/networks.ts';
import type { Clock } from '../../../../domain/time/clock.ts';
import { signedHeaders } from '../../../media/manifests/bucket-signature.ts';
import {
  cacheControl,
  contentType,
  foldersAbove,
  remoteUrl,
  type PushTarget,
} from '../../../media/manifests/push-target.ts';
import { bucketReason, isSkewed, MAX_ANSWER_BYTES, refusalIn, type BucketRefusal } from './bucket-answer.ts';

/** Renditions are written side by side; an origin may count connections. */
const CONNECTIONS = 4;
/** A connection may be without a byte in either direction for so long: about the length of a segment. */
const MAX_SILENT_MS = 5000;
/** Time for a whole file: no player waits longer. */
const MAX_FILE_MS = 30_000;
/** A manifest that lists a day is not larger. */
const MAX_READ_BYTES = 4_000_000;
/** Waits before a file is tried again. A restarted web server is back in less; beyond that the path's own back-off waits. */
const RETRY_DELAYS_MS = [200, 800];

/** With these the origin refuses who writes, or where to. */
const REFUSING = new Set([401, 403, 404]);
const BUSY = new Set([408, 425, 429, 502, 503, 504]);
/** A missing folder is 409 by RFC 4918 §9.7.1; plain servers answer 404, and nginx 500. */
const NO_FOLDER = new Set([404, 409, 500]);
const REMEDIES: Record<number, string> = {
  401: 'check user name and password',
  403: 'check user name, password and the right to write there',
  404: 'check the folder in the URL',
  405: 'it takes no PUT there; check the URL',
  409: 'the folder is missing and could not be made',
  413: 'it takes no files so large; use shorter segments or a lower bitrate',
  507: 'it has no storage left',
};
const CAUSES: Record<string, string> = {
  ECONNREFUSED: 'it refuses connections',
  ENOTFOUND: 'its name is not known',
};
const UNTRUSTED = /CERT|SIGNED|SIGNATURE|ISSUER/u;

interface Answer {
  status: number;
  location: string | undefined;
  /** The refusal of a bucket; undefined for every other answer. */
  refusal: BucketRefusal | undefined;
  /** Its beginning. */
  text: string;
}

interface File {
  body: Buffer;
  headers: Record<string, string>;
}

export class PushClient {
  private readonly target: PushTarget;
  private readonly agent: HttpAgent | HttpsAgent;
  private readonly closing = new AbortController();
  /** Folders that the origin was asked to make. */
  private readonly madeFolders = new Set<string>();
  private readonly clock: Pick<Clock, 'now'>;
  /** The clock of a bucket is ahead of ours by so much, where ours is too wrong to sign with. */
  private aheadMs = 0;

  /** `authorities`: PEM, for https. Throws NetworkRefusal for an address that may not be reached. */
  constructor(target: PushTarget, authorities: () => string[], reach: Reach, clock: Pick<Clock, 'now'>) {
    this.target = target;
    this.clock = clock;
    reach.assertHost(target.base.hostname);
    const common = { keepAlive: true, maxSockets: CONNECTIONS, scheduling: 'fifo', lookup: reach.lookup } as const;
    this.agent =
      target.base.protocol === 'https:' ? new HttpsAgent({ ...common, ca: authorities() }) : new HttpAgent(common);
  }

  /** Rejects with PushRefusal or an error, whose message tells a person what to do. */
  async put(path: string, body: Buffer): Promise<void> {
    const { bucket } = this.target;
    const url = remoteUrl(this.target, path);
    const kept = bucket && { 'cache-control': cacheControl(path) };
    const file = { body, headers: { 'content-type': contentType(path), ...kept } };
    let answer = await this.persist('PUT', url, file);
    if (bucket === undefined && NO_FOLDER.has(answer.status) && (await this.makeFolders(url)))
      answer = await this.persist('PUT', url, file);
    if (answer.status < 200 || answer.status > 299)
      throw new PushRefusal(this.complaint(path, answer), REFUSING.has(answer.status));
  }

  /** Resolves with a file as it is there; undefined where there is none, or none is shown. */
  async read(path: string): Promise<string | undefined> {
    const { status, text } = await this.send('GET', remoteUrl(this.target, path), undefined, MAX_READ_BYTES);
    return status === 200 ? Buffer.from(text, 'latin1').toString('utf8') : undefined;
  }

  /** Resolves with whether the origin deletes at all. */
  async remove(path: string): Promise<boolean> {
    const { status } = await this.send('DELETE', remoteUrl(this.target, path));
    return status < 300 || status === 404 || status === 410;
  }

  /** Requests that are under way reject. */
  close(): void {
    this.closing.abort();
    this.agent.destroy();
  }

  /** Makes each folder once: a server that has no folders at all does not mind. Resolves with whether there was anything to try. */
  private async makeFolders(url: URL): Promise<boolean> {
    const missing = foldersAbove(url).filter(({ href }) => !this.madeFolders.has(href));
    for (const folder of missing) {
      this.madeFolders.add(folder.href);
      await this.send('MKCOL', folder);
    }
    // Another file of the same folder may be making it.
    return missing.length > 0 || this.madeFolders.has(new URL('.', url).href);
  }

  private async persist(method: string, url: URL, file: File): Promise<Answer> {
    for (const waitMs of RETRY_DELAYS_MS) {
      const answer = await this.send(method, url, file).catch((error: Error) => error);
      if (answer instanceof Error ? !isTransient(answer) : !this.isPassing(answer)) return answerOf(answer);
      await delay(waitMs, undefined, { signal: this.closing.signal });
    }
    return this.send(method, url, file);
  }

  private isPassing({ status, refusal }: Answer): boolean {
    if (refusal === undefined) return BUSY.has(status);
    // A broadcast goes on with a clock that is wrong: the time of the bucket signs from then on.
    if (status === 403 && isSkewed(refusal) && refusal.aheadMs !== undefined) {
      const before = this.aheadMs;
      this.aheadMs = refusal.aheadMs;
      return Math.abs(this.aheadMs - before) > MAX_FILE_MS;
    }
    return BUSY.has(status) || status === 500;
  }

  private headersOf(method: string, url: URL, file: File | undefined): Record<string, string> {
    const { authorization, bucket } = this.target;
    const own = { ...file?.headers, 'content-length': String(file?.body.length ?? 0) };
    const now = this.clock.now() + this.aheadMs;
    return {
      'user-agent': 'onair',
      ...(authorization !== undefined && { authorization }),
      ...(bucket === undefined ? own : signedHeaders({ method, url, headers: own, body: file?.body, now }, bucket)),
    };
  }

  private send(method: string, url: URL, file?: File, maxBytes = MAX_ANSWER_BYTES): Promise<Answer> {
    const signal = anySignal([this.closing.signal, AbortSignal.timeout(MAX_FILE_MS)]);
    const headers = this.headersOf(method, url, file);
    const options: RequestOptions = { method, headers, agent: this.agent, signal };
    return new Promise((resolve, reject) => {
      const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const upload = request(url, options, (response) => {
        let text = '';
        response.setEncoding('latin1').on('data', (piece: string) => {
          if (text.length < maxBytes) text += piece;
        });
        response.once('error', (error) => reject(this.failure(error)));
        // The connection is free for the next file only at the end of the answer.
        response.once('end', () => resolve(this.answerIn(response, text)));
      });
      upload.setTimeout(MAX_SILENT_MS, () =>
        upload.destroy(new Error(`it has been silent for ${MAX_SILENT_MS / 1000} s`)),
      );
      upload.once('error', (error) => reject(this.failure(error)));
      upload.end(file?.body);
    });
  }

  private answerIn({ statusCode, headers }: IncomingMessage, text: string): Answer {
    const isRefused = this.target.bucket !== undefined && statusCode! > 299;
    const refusal = isRefused ? refusalIn(text, headers, this.clock.now()) : undefined;
    return { status: statusCode!, location: headers.location, refusal, text };
  }

  private failure(error: NodeJS.ErrnoException): Error {
    const { host } = this.target;
    const { code = '' } = error;
    if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
      return new PushFailure(`The certificate of ${host} is for another host; correct it, or the URL.`, code);
    if (UNTRUSTED.test(code)) {
      const what =
        code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not signed by an authority that this Device trusts';
      const advice = 'correct it, or name its authority by SSL_CERT_FILE on the Device';
      return new PushFailure(`The certificate of ${host} ${what}; ${advice}.`, code);
    }
    if (error.name === 'TimeoutError' || error.cause instanceof Error)
      return new PushFailure(`The origin ${host} is too slow for a whole file within ${MAX_FILE_MS / 1000} s.`, code);
    return new PushFailure(`The origin ${host} cannot be written to: ${CAUSES[code] ?? error.message}.`, code);
  }

  private complaint(path: string, { status, location, refusal }: Answer): string {
    const { host } = this.target;
    if (refusal !== undefined) return `The bucket ${host} refuses ${path}: ${bucketReason(refusal, status)}.`;
    if (status >= 300 && status < 400) {
      const isKnown = location !== undefined && URL.canParse(location, this.target.base.href);
      const to = isKnown ? `to ${new URL(location, this.target.base).host}` : 'elsewhere';
      return `The origin ${host} redirects ${to}, which is not followed; give the final address in the URL.`;
    }
    const remedy = REMEDIES[status];
    return `The origin ${host} answers ${path} with ${status} ${STATUS_CODES[status] ?? ''}${remedy === undefined ? '' : `; ${remedy}`}.`;
  }
}

/** The origin has answered, and has not taken the file. */
export class PushRefusal extends Error {
  /** The origin would refuse the file again. */
  readonly lasts: boolean;

  constructor(message: string, lasts: boolean) {
    super(message);
    this.lasts = lasts;
  }
}

class PushFailure extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** A connection that the server has just closed, or a server that is being started again, is worth another try. */
function isTransient(error: Error): boolean {
  return error instanceof PushFailure && ['ECONNRESET', 'EPIPE', 'ECONNREFUSED'].includes(error.code);
}

function answerOf(answer: Answer | Error): Answer {
  if (answer instanceof Error) throw answer;
  return answer;
}
