/** Cuts and exports under way. They go on while other pages are shown; closing the page would end them, so it asks first. */
import { effect, signal, type ReadonlySignal } from '@preact/signals';
import { follow, type Followed } from '../../../api/follow.ts';
import type { BodyOf, DataOf } from '../../../api/operation-types.ts';
import type { ProblemError } from '../../../api/problems.ts';
import { announceFault, notify } from '../../../ui/registry/notices.ts';
import { words } from '../words.ts';
import type { Span } from './marks.ts';

export interface Job {
  id: number;
  kind: 'cut' | 'export';
  recordingId: number;
  /** The clip's name; empty while the server has not named it. */
  name: string;
  /** The pieces in the order of the clip. */
  spans: readonly Span[];
  progress: ReadonlySignal<number>;
  /** Set once it has failed. */
  error: ProblemError | undefined;
  cancel(): void;
}

export const jobs = signal<readonly Job[]>([]);
let count = 0;

function add<D>(
  job: Omit<Job, 'id' | 'progress' | 'error' | 'cancel'>,
  followed: Followed<D>,
  texts: JobTexts<D>,
): void {
  count += 1;
  const id = count;
  let isCancelled = false;
  const cancel = (): void => {
    isCancelled = true;
    followed.cancel();
    removeJob(id);
  };
  jobs.value = [...jobs.peek(), { ...job, id, progress: followed.progress, error: undefined, cancel }];
  followed.done.then(
    (data) => {
      removeJob(id);
      notify(texts.done(data));
    },
    (error: ProblemError) => {
      if (isCancelled) return;
      jobs.value = jobs.peek().map((each) => (each.id === id ? { ...each, error } : each));
      announceFault(texts.failed());
    },
  );
}

interface JobTexts<D> {
  done(data: D): string;
  failed(): string;
}

export function removeJob(id: number): void {
  jobs.value = jobs.peek().filter((job) => job.id !== id);
}

export function cutClip(recordingId: number, body: BodyOf<'createClip'>): void {
  const name = body.filename ?? '';
  const followed = follow({ operation: 'createClip', params: { recordingId }, body });
  const shown = name === '' ? words.value.newClip : name;
  const { in: begin, out, segments } = body;
  const spans = segments ?? (begin === undefined || out === undefined ? [] : [{ in: begin, out }]);
  add<DataOf<'createClip'>>({ kind: 'cut', recordingId, name, spans }, followed, {
    done: ({ filename }) => words.value.cutDone(filename),
    failed: () => words.value.cutFailed(shown),
  });
}

export function sendClip(recordingId: number, filename: string, body: BodyOf<'exportClip'>): void {
  const followed = follow({ operation: 'exportClip', params: { filename }, body });
  add<DataOf<'exportClip'>>({ kind: 'export', recordingId, name: filename, spans: [] }, followed, {
    done: ({ location }) => words.value.sent(filename, location),
    failed: () => words.value.sendFailed(filename),
  });
}

const stay = (event: BeforeUnloadEvent): void => event.preventDefault();
effect(() => {
  const isBusy = jobs.value.some(({ error }) => error === undefined);
  if (isBusy) addEventListener('beforeunload', stay);
  else removeEventListener('beforeunload', stay);
});
