/** Answers of reads as signals, kept by TanStack Query; a `changed` of the feed makes those of its resource old. */
import { QueryClient, QueryObserver, type QueryKey, type QueryObserverResult as Shown } from '@tanstack/query-core';
import { useSignal } from '@preact/signals';
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

/** How many deletes of each resource are under way. */
const heldBack = new Map<string, number>();
const changedMeanwhile = new Set<string>();

/**
 * Puts off asking again until the returned function is called: the feed tells of a delete before its answer is there, and a view of the row
 * would ask for what is gone.
 */
export function holdResource(resource: string): () => void {
  heldBack.set(resource, (heldBack.get(resource) ?? 0) + 1);
  return () => {
    const others = (heldBack.get(resource) ?? 1) - 1;
    if (others > 0) heldBack.set(resource, others);
    else heldBack.delete(resource);
    if (others === 0 && changedMeanwhile.delete(resource)) resourceChanged(resource);
  };
}

/** The resources of the feed are names of their own: a change of `encodings` says nothing of `encodings/groups`. */
export function resourceChanged(resource: string): void {
  if (heldBack.has(resource)) changedMeanwhile.add(resource);
  else void queries.invalidateQueries({ queryKey: [resource] });
}

export function forgetAnswers(): void {
  queries.clear();
}
