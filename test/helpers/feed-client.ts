/** Reads the feed as a page does, and keeps all that has arrived. */
import { until } from './until.ts';

export interface FeedMessage {
  /** Left out for messages that are not kept. */
  id?: string;
  event: string;
  data: any;
}

export class FeedClient {
  readonly messages: FeedMessage[] = [];
  comments = 0;
  /** Milliseconds after which a browser comes back. */
  retry: number | undefined;
  hasEnded = false;
  private readonly reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(response: Response) {
    if (response.status !== 200 || response.body === null) throw new Error(`The feed answered ${response.status}.`);
    this.reader = response.body.getReader();
    void this.read();
  }

  /** The id of the last message that has one. */
  get lastId(): string | undefined {
    return this.messages.findLast(({ id }) => id !== undefined)?.id;
  }

  events(event: string): FeedMessage[] {
    return this.messages.filter((message) => message.event === event);
  }

  /** Waits for a message after the first `from` ones; `each` is done before every look, for a clock that is moved by hand. */
  wait(
    event: string,
    where: (data: FeedMessage['data']) => boolean = () => true,
    { from = 0, each = () => undefined as unknown, boundMs = 120_000 } = {},
  ): Promise<FeedMessage> {
    return until(
      `${event} in the feed`,
      () => {
        each();
        return this.messages.slice(from).find((message) => message.event === event && where(message.data));
      },
      { boundMs: boundMs },
    );
  }

  async leave(): Promise<void> {
    await this.reader.cancel();
  }

  private async read(): Promise<void> {
    const decoder = new TextDecoder();
    let text = '';
    try {
      for (;;) {
        const { done, value } = await this.reader.read();
        if (done) break;
        const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) this.take(block);
      }
    } catch {
      // The server was killed; the test looks at what had arrived.
    }
    this.hasEnded = true;
  }

  private take(block: string): void {
    const fields = new Map(block.split('\n').map((line) => [line.split(':')[0] ?? '', line.replace(/^\w*: ?/u, '')]));
    if (fields.has('')) this.comments += 1;
    if (fields.has('retry')) this.retry = Number(fields.get('retry'));
    const event = fields.get('event');
    if (event === undefined) return;
    const id = fields.get('id');
    this.messages.push({ ...(id !== undefined && { id }), event, data: JSON.parse(fields.get('data') ?? '') });
  }
}
