import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import type { OperationInput, OperationName, OperationOutput } from '../../operations/all.ts';
import { call } from './call.ts';

/** The start of the next page. */
export type Cursor = number | string | undefined;

/** The pages of an operation that are loaded so far. */
export type Pages<T> = {
  pages: readonly T[];
  error: unknown;
  isLoading: boolean;
  hasMore: boolean;
  isAdding: boolean;
  more(): void;
  reload(): void;
};

/** Loads the pages of an operation on demand; loaded pages stay visible while others are loading. */
export function usePages<N extends OperationName>(
  name: N,
  options: { input(cursor: Cursor): OperationInput<N>; next(last: OperationOutput<N>): Cursor; enabled?: boolean },
): Pages<OperationOutput<N>> {
  const query = useInfiniteQuery<
    OperationOutput<N>,
    Error,
    InfiniteData<OperationOutput<N>>,
    readonly unknown[],
    Cursor
  >({
    queryKey: [name, 'pages', options.input(undefined)],
    queryFn: ({ pageParam, signal }) => call(name, options.input(pageParam), signal),
    initialPageParam: undefined,
    getNextPageParam: (last) => options.next(last),
    enabled: options.enabled ?? true,
    refetchOnMount: 'always',
    placeholderData: (before) => before,
  });
  return {
    pages: query.data?.pages ?? [],
    error: query.error ?? undefined,
    isLoading: query.isPending && query.fetchStatus !== 'idle',
    hasMore: query.hasNextPage,
    isAdding: query.isFetchingNextPage,
    more: () => void query.fetchNextPage(),
    reload: () => void query.refetch(),
  };
}
