/** FLV that a web server gives. */
import type { IncomingMessage } from 'node:http';
import { FlvTags } from '../../media/rtmp/flv-tags.ts';
import { SourceTrouble, troubleOfConnection } from '../../media/ffmpeg-output/source-reason.ts';
import { HlsClient } from '../hls/hls-client.ts';
import type { FlvLink, LinkDeps, LinkHooks } from './flv-link.ts';

export class WebLink implements FlvLink {
  private readonly hooks: LinkHooks;
  private readonly client: HlsClient;
  private readonly closing = new AbortController();
  private response: IncomingMessage | undefined;

  constructor(url: string, { reach, authorities, now }: LinkDeps, hooks: LinkHooks) {
    this.hooks = hooks;
    this.client = new HlsClient(reach, authorities, now);
    void this.open(url);
  }

  pause(): void {
    this.response?.pause();
  }

  resume(): void {
    this.response?.resume();
  }

  close(): void {
    this.closing.abort();
    this.response?.destroy();
    this.client.close();
  }

  private async open(url: string): Promise<void> {
    const { signal } = this.closing;
    try {
      const { response } = await this.client.open(url, signal);
      this.read(response);
    } catch (error) {
      this.end(error as Error);
    }
  }

  private read(response: IncomingMessage): void {
    this.response = response;
    const tags = new FlvTags((message) => this.closing.signal.aborted || this.hooks.onMessage(message));
    response.on('data', (bytes: Buffer) => {
      try {
        tags.push(bytes);
      } catch (error) {
        if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
        this.end(new SourceTrouble('what it sends cannot be read as media', error.message));
      }
    });
    response.once('error', (error) => this.end(troubleOfConnection(error)));
    response.once('end', () => this.end(new SourceTrouble('its server has ended the stream')));
    if (this.closing.signal.aborted) response.destroy();
  }

  private end(why: Error): void {
    if (this.closing.signal.aborted) return;
    this.close();
    this.hooks.onEnd(why);
  }
}
