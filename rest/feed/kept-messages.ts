/**
 * Messages that a reader who comes back may have missed. A position counts all of them since the start of the process; the boot before it
 * tells this process from another one, whose positions mean nothing here.
 */

/** Both are about what a laptop misses while it changes networks; a reader who was away for longer gets a snapshot. */
const MAX_KEPT = 2000;
const KEPT_MS = 5 * 60_000;

export interface KeptMessage {
  position: number;
  atMs: number;
  /** The list whose readers may read it; undefined: every reader may. */
  resource: string | undefined;
  bytes: Uint8Array;
}

const ID = /^([^.]+)\.(\d{1,15})$/u;

export class KeptMessages {
  private readonly boot: string;
  private kept: KeptMessage[] = [];
  /** Position of the newest message. */
  private position = 0;
  /** Every message after this position is kept. */
  private since = 0;

  constructor(boot: string) {
    this.boot = boot;
  }

  /** The id of the present position: a reader who has it has missed nothing so far. */
  get id(): string {
    return `${this.boot}.${this.position}`;
  }

  /** `write` makes the bytes of the message from its id. */
  add(write: (id: string) => Uint8Array, nowMs: number, resource?: string): KeptMessage {
    this.position += 1;
    const message = { position: this.position, atMs: nowMs, resource, bytes: write(this.id) };
    this.kept.push(message);
    this.dropOld(nowMs);
    return message;
  }

  /** The messages after the one of this id; undefined when a reader with it needs a snapshot: it has none, another boot's or too old a one. */
  after(lastId: string | undefined, nowMs: number): readonly KeptMessage[] | undefined {
    const [, boot, digits] = ID.exec(lastId ?? '') ?? [];
    const position = Number(digits);
    if (boot !== this.boot || position > this.position) return undefined;
    this.dropOld(nowMs);
    return position < this.since ? undefined : this.kept.slice(position - this.since);
  }

  /** Nothing is followed any more, so whoever comes later needs a snapshot, also with the newest id. */
  forget(): void {
    this.kept = [];
    this.position += 1;
    this.since = this.position;
  }

  private dropOld(nowMs: number): void {
    const tooMany = this.kept.length - MAX_KEPT;
    let count = Math.max(0, tooMany);
    while (count < this.kept.length && nowMs - this.kept[count]!.atMs > KEPT_MS) count += 1;
    if (count === 0) return;
    this.since = this.kept[count - 1]!.position;
    this.kept.splice(0, count);
  }
}
