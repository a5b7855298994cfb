/** A receiver of datagrams that keeps each with its time of arrival: what viewers of a STREAM Destination get. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { longestStep, numbersIn } from '../../test/helpers/counted.ts';

interface Datagram {
  atMs: number;
  bytes: Buffer;
}

export interface Missed {
  missing: number;
  /** Pictures that came again: a source that is a file goes back a little. */
  repeated: number;
  /** The longest time in which nothing came; undefined for a viewer who fetches what there is. */
  silentSeconds: number | undefined;
}

/** One whose pictures are counted. */
export interface Viewer {
  forget(): void;
  /** Whether something has come since this instant of performance.now(). */
  hasSince(atMs: number): boolean;
  /** Answers what it has missed since `forget`; the file is written for the decoder, and `pictures` is the length of the clip. */
  missed(file: string, pictures: number): Promise<Missed>;
}

/** Pictures that a recording lacks between its first and its last, and those that are in it more than once. */
export function countsIn(file: string, pictures: number): Pick<Missed, 'missing' | 'repeated'> {
  const numbers = numbersIn(file).filter((number) => number !== undefined);
  // The clip begins again after its last picture, and pictures may be out of their order.
  const places = new Set<number>();
  let place = 0;
  for (const [at, number] of numbers.entries()) {
    const step = (number - (numbers[at - 1] ?? number) + pictures) % pictures;
    place += step > pictures / 2 ? step - pictures : step;
    places.add(place);
  }
  const all = places.size === 0 ? 0 : Math.max(...places) - Math.min(...places) + 1;
  return { missing: all - places.size, repeated: numbers.length - places.size };
}

export class Receiver implements Viewer {
  private readonly socket = createSocket({ type: 'udp4', recvBufferSize: 1 << 22 });
  private datagrams: Datagram[] = [];

  static async open(): Promise<Receiver> {
    const receiver = new Receiver();
    receiver.socket.on('message', (bytes) => receiver.datagrams.push({ atMs: performance.now(), bytes }));
    receiver.socket.bind(0, '127.0.0.1');
    await once(receiver.socket, 'listening');
    return receiver;
  }

  get url(): string {
    return `udp://127.0.0.1:${this.socket.address().port}`;
  }

  hasSince(atMs: number): boolean {
    return (this.datagrams.at(-1)?.atMs ?? 0) > atMs;
  }

  forget(): void {
    this.datagrams = [];
  }

  /** All that has come since `forget`. */
  write(file: string): void {
    writeFileSync(file, Buffer.concat(this.datagrams.map(({ bytes }) => bytes)));
  }

  missed(file: string, pictures: number): Promise<Missed & { silentSeconds: number }> {
    this.write(file);
    const silentSeconds = longestStep(this.datagrams.map(({ atMs }) => atMs / 1000));
    return Promise.resolve({ ...countsIn(file, pictures), silentSeconds });
  }

  close(): void {
    this.socket.close();
  }
}
