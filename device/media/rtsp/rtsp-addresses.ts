/**
 * Exchanges the addresses of a server for those of a relay, in the description of its media and in its answers (RFC 2326 §12.14 to §12.33,
 * §C.1.1).
 */
import { headerOf, type RtspMessage } from './rtsp-message.ts';

/** More tracks than any source has. */
const MAX_TRACKS = 64;

export class RtspAddresses {
  /** Address by which the relay's client names the whole. */
  readonly alias: string;
  private readonly described: string;
  /** Address of the whole at the server, and of each track. */
  private whole: string;
  private tracks: string[] = [];

  /** `source` is the server's address, without credentials. */
  constructor(alias: string, source: string) {
    this.alias = alias;
    this.described = source;
    this.whole = source;
  }

  /** The server's address for one that the client names; undefined for one that it was not given. */
  atServer(method: string, address: string): string | undefined {
    if (address === this.alias || address === `${this.alias}/`)
      return method === 'DESCRIBE' ? this.described : this.whole;
    if (!address.startsWith(`${this.alias}/`)) return undefined;
    const number = address.slice(this.alias.length + 1);
    return /^\d{1,2}$/u.test(number) ? this.tracks[Number(number)] : undefined;
  }

  /** Returns the description (SDP, RFC 8866) with the relay's addresses. Throws RangeError for more tracks than there may be. */
  rewriteDescription(answer: RtspMessage): Buffer {
    const base = absolute(headerOf(answer, 'content-base') ?? headerOf(answer, 'content-location'), this.described);
    this.whole = base;
    this.tracks = [];
    let isMedia = false;
    // ffmpeg ends a line at either of the two characters.
    const lines = answer.body
      .toString('latin1')
      .split(/\r\n|\r|\n/u)
      .map((line) => {
        isMedia ||= line.startsWith('m=');
        const control = /^a=control:\s*(.*?)\s*$/u.exec(line)?.[1];
        if (control === undefined) return line;
        if (!isMedia) {
          this.whole = absolute(control, base);
          return 'a=control:*';
        }
        if (this.tracks.length >= MAX_TRACKS)
          throw new RangeError('The source describes more tracks than there may be.');
        this.tracks.push(absolute(control, base));
        return `a=control:${this.alias}/${this.tracks.length - 1}`;
      });
    return Buffer.from(lines.join('\r\n'), 'latin1');
  }

  /** The value of RTP-Info for the client, which finds the first time stamp of each track in it; tracks that are not known are left out. */
  rewriteInfo(info: string): string {
    return info
      .split(/,(?=\s*url\s*=)/iu)
      .flatMap((entry) => {
        const [, before = '', address, after = ''] = /^(\s*url\s*=\s*)"?([^;"]*)"?(.*)$/iu.exec(entry) ?? [];
        if (address === undefined) return [];
        const at = this.trackOf(address.trim());
        return at < 0 ? [] : [`${before.trim()}${this.alias}/${at}${after}`];
      })
      .join(',');
  }

  private trackOf(address: string): number {
    const exact = this.tracks.indexOf(absolute(address, this.whole));
    // Behind address translation a server names another host in it than in its description.
    return exact >= 0 ? exact : this.tracks.findIndex((track) => pathOf(track) === pathOf(address));
  }
}

function pathOf(address: string): string {
  return address.replace(/^rtsps?:\/\/[^/]*/iu, '');
}

/**
 * Servers mean a name to be added to the base, as RTSP programs do, and not put in the place of its last part (RFC 3986). A space would end
 * the address in a request line.
 */
function absolute(address: string | undefined, base: string): string {
  const text = (address ?? '').replaceAll(/[\u0000-\u0020\u007f]+/gu, '%20');
  if (text === '' || text === '*') return base;
  if (/^rtsps?:\/\//iu.test(text)) return text.replace(/^(rtsps?:\/\/)[^/?#]*@/iu, '$1');
  if (text.startsWith('/')) return `${/^rtsps?:\/\/[^/?#]*/iu.exec(base)?.[0] ?? ''}${text}`;
  return base.endsWith('/') ? `${base}${text}` : `${base}/${text}`;
}
