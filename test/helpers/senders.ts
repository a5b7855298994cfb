/** A receiver of datagrams that tells its senders apart: each encoder sends from a port of its own. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { cleanUp, type Owner } from './clean-up.ts';
import { until } from './until.ts';

export class Senders {
  /** Ports in the order in which they first came. */
  readonly ports: number[] = [];
  /** Datagrams of a sender after which another one had come: two were at work at once. */
  mixed = 0;
  received = 0;
  private readonly socket = createSocket('udp4');

  static async open(owner: Owner): Promise<Senders> {
    const senders = new Senders();
    cleanUp(owner, () => senders.socket.close());
    senders.socket.on('message', (_, { port }) => senders.take(port));
    senders.socket.bind(0, '127.0.0.1');
    await once(senders.socket, 'listening');
    return senders;
  }

  get url(): string {
    return `udp://127.0.0.1:${this.socket.address().port}`;
  }

  /** Resolves when so many more have come. */
  async more(count: number): Promise<void> {
    const before = this.received;
    await until('more datagrams', () => this.received >= before + count);
  }

  private take(port: number): void {
    this.received += 1;
    if (!this.ports.includes(port)) this.ports.push(port);
    else if (port !== this.ports.at(-1)) this.mixed += 1;
  }
}
