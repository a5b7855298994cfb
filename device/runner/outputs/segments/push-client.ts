/** Writes files to an origin by HTTP PUT, or WebDAV (RFC 4918), over connections that are kept. */
import { request as httpRequest, Agent as HttpAgent, STATUS_CODES, type RequestOptions } from 'node:http';
import { request as httpsRequest, Agent as HttpsAgent } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import type { Reach } from '../../../../domain/networks.ts';
import { contentType, foldersAbove, remoteUrl, type PushTarget } from '../../../media/manifests/push-target.ts';

/** Renditions are written side by side; an origin may count connections. */
const CONNECTIONS = 4;
/** Without a byte in either direction. A segment of viewers' patience. */
const SILENT_MS = 5000;
/** For a whole file: more is slower than any player waits. */
const WHOLE_MS = 30_000;
/** A restarted web server is back in less; beyond that the path's own back-off waits. */
const AGAIN_MS = [200, 800];

/** It has looked at who writes, or where to, and says no. */
const REFUSING = new Set([401, 403, 404]);
const BUSY = new Set([408, 425, 429, 502, 503, 504]);
/** RFC 4918 §9.7.1 says 409; plain servers say 404, and nginx 500. */
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
const UNTRUSTED = /CERT|SIGNED|SIGNATURE|ISSUER/u;

interface Answer {
  status: number;
  location: string | undefined;
}

export class PushClient {
  private readonly target: PushTarget;
  private readonly agent: HttpAgent | HttpsAgent;
  private readonly closing = new AbortController();
  /** Folders that were asked for. */
  private readonly made = new Set<string>();

  /** `authorities`: PEM, for https. Throws NetworkRefusal for an address that may not be reached. */
  constructor(target: PushTarget, authorities: () => string[], reach: Reach) {
    this.target = target;
    reach.assertHost(target.base.hostname);
    const kept = { keepAlive: true, maxSockets: CONNECTIONS, scheduling: 'fifo', lookup: reach.lookup } as const;
    this.agent =
      target.base.protocol === 'https:' ? new HttpsAgent({ ...kept, ca: authorities() }) : new HttpAgent(kept);
  }

  /** Rejects with what a person can do about it. */
  async put(path: string, body: Buffer): Promise<void> {
    const url = remoteUrl(this.target, path);
    let answer = await this.persist('PUT', url, body, contentType(path));
    if (NO_FOLDER.has(answer.status) && (await this.makeFolders(url)))
      answer = await this.persist('PUT', url, body, contentType(path));
    if (answer.status < 200 || answer.status > 299)
      throw new PushRefusal(this.complaint(path, answer), REFUSING.has(answer.status));
  }

  /** Whether the origin deletes at all. */
  async remove(path: string): Promise<boolean> {
    const { status } = await this.send('DELETE', remoteUrl(this.target, path));
    return status < 300 || status === 404 || status === 410;
  }

  /** Whatever is under way rejects. */
  close(): void {
    this.closing.abort();
    this.agent.destroy();
  }

  /** Once each: a server that has no folders at all does not mind. Answers whether there was anything to try. */
  private async makeFolders(url: URL): Promise<boolean> {
    const missing = foldersAbove(url).filter(({ href }) => !this.made.has(href));
    for (const folder of missing) {
      this.made.add(folder.href);
      await this.send('MKCOL', folder);
    }
    // Another file of the same folder may be making it.
    return missing.length > 0 || this.made.has(new URL('.', url).href);
  }

  private async persist(method: string, url: URL, body: Buffer, type: string): Promise<Answer> {
    for (const waitMs of AGAIN_MS) {
      const answer = await this.send(method, url, body, type).catch((error: Error) => error);
      if (answer instanceof Error ? !isTransient(answer) : !BUSY.has(answer.status)) return given(answer);
      await delay(waitMs, undefined, { signal: this.closing.signal });
    }
    return this.send(method, url, body, type);
  }

  private send(method: string, url: URL, body?: Buffer, type?: string): Promise<Answer> {
    const { authorization } = this.target;
    const signal = AbortSignal.any([this.closing.signal, AbortSignal.timeout(WHOLE_MS)]);
    const headers = {
      'User-Agent': 'onair',
      ...(authorization !== undefined && { Authorization: authorization }),
      ...(type !== undefined && { 'Content-Type': type }),
      'Content-Length': body?.length ?? 0,
    };
    const options: RequestOptions = { method, headers, agent: this.agent, signal };
    return new Promise((resolve, reject) => {
      const ask = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const sent = ask(url, options, (response) => {
        response.resume();
        response.once('error', (error) => reject(this.failure(error)));
        // Only then is the connection free for the next file.
        response.once('end', () => resolve({ status: response.statusCode!, location: response.headers.location }));
      });
      sent.setTimeout(SILENT_MS, () => sent.destroy(new Error(`it has been silent for ${SILENT_MS / 1000} s`)));
      sent.once('error', (error) => reject(this.failure(error)));
      sent.end(body);
    });
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
      return new PushFailure(`The origin ${host} is too slow for a whole file within ${WHOLE_MS / 1000} s.`, code);
    const what = code === 'ECONNREFUSED' ? 'it refuses connections' : code === 'ENOTFOUND' ? 'its name is not known' : error.message; // prettier-ignore
    return new PushFailure(`The origin ${host} cannot be written to: ${what}.`, code);
  }

  private complaint(path: string, { status, location }: Answer): string {
    const { host } = this.target;
    if (status >= 300 && status < 400) {
      const to = location === undefined || !URL.canParse(location, this.target.base.href) ? 'elsewhere' : `to ${new URL(location, this.target.base).host}`; // prettier-ignore
      return `The origin ${host} redirects ${to}, which is not followed; give the final address in the URL.`;
    }
    const remedy = REMEDIES[status];
    return `The origin ${host} answers ${path} with ${status} ${STATUS_CODES[status] ?? ''}${remedy === undefined ? '' : `; ${remedy}`}.`;
  }
}

/** The origin has answered, and has not taken the file. */
export class PushRefusal extends Error {
  /** It will say so again. */
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

/** A kept connection that the server has just closed, or a server that is being started again. */
function isTransient(error: Error): boolean {
  return error instanceof PushFailure && ['ECONNRESET', 'EPIPE', 'ECONNREFUSED'].includes(error.code);
}

function given(answer: Answer | Error): Answer {
  if (answer instanceof Error) throw answer;
  return answer;
}
