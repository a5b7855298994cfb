/** Frames that came of a source on its connection before: they leave before anything of the present one. */
import type { SourceFrame } from './buffer-parts.ts';
import type { SourceBuffer } from './source-buffer.ts';

export class EarlierFrames {
  private buffer: SourceBuffer | undefined;

  get areThere(): boolean {
    return this.buffer !== undefined;
  }

  /**
   * Takes the buffer of a connection that has ended. Of several in a short time the first one counts: the others have given little. What was
   * read ahead of a file is read again.
   */
  keep(buffer: SourceBuffer): void {
    buffer.hasEnded = true;
    if (this.buffer === undefined && buffer.ready && !buffer.isReadAhead) this.buffer = buffer;
    else buffer.clear();
  }

  /** As SourceBuffer does. How long they have waited says nothing of what is to come. */
  take(bytes: number): SourceFrame | undefined {
    const { buffer } = this;
    const taken = buffer?.take(bytes);
    if (buffer?.ready !== true) this.forget();
    return taken && { ...taken, waitedMs: 0 };
  }

  forget(): void {
    this.buffer?.clear();
    this.buffer = undefined;
  }
}
