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

/** The steps between the numbers of the pictures in a recording. */
export function stepsIn(file: string, pictures: number): Pick<Missed, 'missing' | 'repeated'> {
  const steps = { missing: 0, repeated: 0 };
  const numbers = numbersIn(file).filter((number) => number !== undefined);
  for (const [at, number] of numbers.slice(1).entries()) {
    // The clip begins again after its last picture.
    const step = (number - numbers[at]! + pictures) % pictures;
    if (step === 0 || step > pictures / 2) steps.repeated += step === 0 ? 1 : pictures - step + 1;
    else steps.missing += step - 1;
  }
  return steps;
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
    return Promise.resolve({ ...stepsIn(file, pictures), silentSeconds });
  }

  close(): void {
    this.socket.close();
  }
}
