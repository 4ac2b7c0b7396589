import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import type { OperationInput, OperationName, OperationOutput } from '../../operations/contracts.ts';
import { call } from './call.ts';

/** Where the next page begins. */
export type Cursor = number | string | undefined;

/** What an operation answers page by page. */
export type Pages<T> = {
  pages: readonly T[];
  error: unknown;
  isLoading: boolean;
  hasMore: boolean;
  isAdding: boolean;
  more(): void;
  reload(): void;
};

/** Asks for a page, and for the next one whenever more is wanted; the pages before stay in sight while others are asked for. */
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
