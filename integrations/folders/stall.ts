import { FolderFault } from './folder.ts';

/** Fires when no byte has moved for so long. */
export class Stall {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;

  constructor(boundMs: number, place: string) {
    const reason = `${place} took nothing for ${boundMs / 1000} s`;
    const fault = new FolderFault(reason, undefined, { passes: true });
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
