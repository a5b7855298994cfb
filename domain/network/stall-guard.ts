/** A transfer of which no byte moves any more is given up. */
export class StallGuard {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;

  /** Its signal fires with the fault when no byte has moved for `boundMs`. */
  constructor(boundMs: number, fault: Error) {
    this.timer = setTimeout(() => this.controller.abort(fault), boundMs);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  moved(): void {
    if (!this.signal.aborted) this.timer.refresh();
  }

  end(): void {
    clearTimeout(this.timer);
  }
}

/** The chunks of a transfer. What its sender throws is thrown as `failed` says it, so that a fault of the disk is not taken for one of the sender. */
export async function* guardedChunks(
  content: AsyncIterable<Uint8Array>,
  stall: StallGuard,
  failed: (error: unknown) => Error,
): AsyncGenerator<Buffer> {
  const chunks = content[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await chunks.next().catch((error: unknown) => {
        throw failed(error);
      });
      stall.moved();
      if (done === true) return;
      yield Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
  } finally {
    // It ends the sender where the receiver has failed; its own fault was thrown above.
    await chunks.return?.().catch(() => undefined);
  }
}
