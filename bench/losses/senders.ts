/** Who has sent to a receiver, and when: two that send at once are seen, and how long nobody did. */

interface Sender {
  fromMs: number;
  toMs: number;
}

export interface Heard {
  /** The longest time in which two sent. */
  twoAtOnceMs: number;
  /** The longest time in which nothing came. */
  silentMs: number;
}

export class Senders {
  private readonly senders = new Map<string, Sender>();
  private lastMs: number | undefined;
  private silentMs = 0;

  /** Something has come from this sender now. */
  note(sender: string): void {
    const nowMs = performance.now();
    const known = this.senders.get(sender);
    if (known === undefined) this.senders.set(sender, { fromMs: nowMs, toMs: nowMs });
    else known.toMs = nowMs;
    if (this.lastMs !== undefined) this.silentMs = Math.max(this.silentMs, nowMs - this.lastMs);
    this.lastMs = nowMs;
  }

  hasSince(atMs: number): boolean {
    return (this.lastMs ?? 0) > atMs;
  }

  /** Covers the time since the last call of `forget`; who sends now is known on. */
  get heard(): Heard {
    const spans = [...this.senders.values()].sort((a, b) => a.fromMs - b.fromMs);
    let twoAtOnceMs = 0;
    let endMs = -Infinity;
    for (const { fromMs, toMs } of spans) {
      twoAtOnceMs = Math.max(twoAtOnceMs, Math.min(endMs, toMs) - fromMs);
      endMs = Math.max(endMs, toMs);
    }
    return { twoAtOnceMs, silentMs: this.silentMs };
  }

  forget(): void {
    this.silentMs = 0;
    for (const [sender, { toMs }] of this.senders) if (toMs !== this.lastMs) this.senders.delete(sender);
  }
}
