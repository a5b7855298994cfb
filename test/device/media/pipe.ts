/** A pipe that holds back what is not read, as ffmpeg's does. */
export class Pipe {
  private readonly waiting: Buffer[] = [];
  private isPaused = false;
  private readonly read: (frame: Buffer) => void;

  constructor(read: (frame: Buffer) => void) {
    this.read = read;
  }

  get held(): number {
    return this.waiting.length;
  }

  write(frame: Buffer): void {
    this.waiting.push(frame);
    this.flow();
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    this.flow();
  }

  private flow(): void {
    while (!this.isPaused && this.waiting.length > 0) this.read(this.waiting.shift()!);
  }
}
