/** Answers of reads as signals, kept by TanStack Query; a `changed` of the feed makes those of its resource old. */
import { QueryClient, QueryObserver, type QueryKey, type QueryObserverResult as Shown } from '@tanstack/query-core';
import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ProblemError } from './problems.ts';

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: (count, error) =>
        count < 3 && (!(error instanceof ProblemError) || error.status === 0 || error.status >= 500),
    },
  },
});

export interface Answer<T> {
  data: T | undefined;
  error: Error | null;
  isLoading: boolean;
  /** It is asked again while `data` has the answer before. */
  isAsking: boolean;
}

interface Options {
  isWanted?: boolean;
  /** Shows the answer to the question before until this one's is there. */
  keepsPrevious?: boolean;
  everyMs?: number;
}

/** The first word of `key` is the resource as the feed names it. */
export function useQuery<T>(
  key: QueryKey,
  ask: (signal: AbortSignal) => Promise<T>,
  options: Options | number = {},
): Answer<T> {
  const {
    isWanted = true,
    keepsPrevious = false,
    everyMs,
  } = typeof options === 'number' ? { everyMs: options } : options;
  const answer = useSignal<Answer<T>>({ data: undefined, error: null, isLoading: isWanted, isAsking: isWanted });
  const name = JSON.stringify([key, isWanted]);
  useEffect(() => {
    const observer = new QueryObserver<T>(queries, {
      queryKey: key,
      queryFn: ({ signal }) => ask(signal),
      enabled: isWanted,
      ...(everyMs !== undefined && { refetchInterval: everyMs }),
    });
    const show = ({
      data,
      error,
      isPending,
      isFetching,
    }: Pick<Shown<T>, 'data' | 'error' | 'isPending' | 'isFetching'>): void => {
      const kept = keepsPrevious && isPending ? answer.peek().data : data;
      answer.value = { data: kept, error, isLoading: isPending, isAsking: isFetching };
    };
    show(observer.getCurrentResult());
    return observer.subscribe(show);
  }, [name]);
  return answer.value;
}

const held = new Set<string>();

/** The reads of a resource are not made again until the answer is called: a row that is being deleted would answer 404 to its views. */
export function holdReads(resource: string): () => void {
  held.add(resource);
  return () => {
    held.delete(resource);
    resourceChanged(resource);
  };
}

/** Grows with each `changed`: what the server judges by many resources is asked again then. */
export const changeCount = signal(0);

/** The resources of the feed are names of their own: a change of `encodings` says nothing of `encodings/groups`. */
export function resourceChanged(resource: string): void {
  if (held.has(resource)) return;
  void queries.invalidateQueries({ queryKey: [resource] });
  // A wall shows those of its tags.
  if (resource === 'livestreams') void queries.invalidateQueries({ queryKey: ['walls'] });
  changeCount.value += 1;
}

export function forgetAnswers(): void {
  queries.clear();
}
