/** Answers of reads as signals, kept by TanStack Query; a `changed` of the feed makes those of its resource old. */
import { QueryClient, QueryObserver, type QueryKey } from '@tanstack/query-core';
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
}

/** The first word of `key` is the resource as its path begins. */
export function useQuery<T>(key: QueryKey, ask: (signal: AbortSignal) => Promise<T>, everyMs?: number): Answer<T> {
  const answer = useSignal<Answer<T>>({ data: undefined, error: null, isLoading: true });
  const name = JSON.stringify(key);
  useEffect(() => {
    const observer = new QueryObserver<T>(queries, {
      queryKey: key,
      queryFn: ({ signal }) => ask(signal),
      ...(everyMs !== undefined && { refetchInterval: everyMs }),
    });
    const show = ({
      data,
      error,
      isPending,
    }: {
      data: T | undefined;
      error: Error | null;
      isPending: boolean;
    }): void => {
      answer.value = { data, error, isLoading: isPending };
    };
    show(observer.getCurrentResult());
    return observer.subscribe(show);
  }, [name]);
  return answer.value;
}

export function resourceChanged(resource: string): void {
  void queries.invalidateQueries({ queryKey: [resource] });
}

export function forgetAnswers(): void {
  queries.clear();
}
