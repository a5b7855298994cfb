/** Plays the fallback file from its beginning while the source is lost. */
import type { SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { fileInput, type IngestInput } from '../../media/arguments/ingest-args.ts';
import type { SourceBuffer } from '../../media/frames/source-buffer.ts';
import type { FeedDeps } from '../input/source-feed.ts';
import { Ingest } from '../input/ingest.ts';
import { rawKind } from '../input/ingest-kinds.ts';

export class FallbackFile {
  private readonly deps: FeedDeps;
  private readonly onBuffer: (buffer: SourceBuffer | undefined) => void;
  private ingest: Ingest | undefined;
  private buffer: SourceBuffer | undefined;

  /** `onBuffer` gets the buffer that is to be shown, and undefined when there is none any more. */
  constructor(deps: FeedDeps, onBuffer: (buffer: SourceBuffer | undefined) => void) {
    this.deps = deps;
    this.onBuffer = onBuffer;
  }

  start(path: string): void {
    void this.stop();
    const { plan, pool, children } = this.deps;
    const file: SourceSpec = { channelId: 0, name: 'fallback', type: 'File', settings: { loop: true }, path };
    const kind = rawKind(file, plan, pool, (buffer) => this.show(buffer));
    const openInput = (): IngestInput => fileInput(path, true);
    const hooks = { onFirstMedia: () => undefined, onDown: () => undefined };
    this.ingest = new Ingest({ children, name: 'fallback', openInput, kind, finite: false, hooks });
    this.ingest.start();
  }

  async stop(): Promise<void> {
    const { ingest } = this;
    if (ingest === undefined) return;
    this.ingest = undefined;
    this.show(undefined);
    await ingest.stop();
  }

  private show(buffer: SourceBuffer | undefined): void {
    this.buffer?.clear();
    this.buffer = buffer;
    this.onBuffer(buffer);
  }
}
