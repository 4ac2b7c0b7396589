import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { OperationInput, OperationName, OperationOutput } from '../../operations/all.ts';
import { notify } from '../ui/feedback/notices.ts';
import { call } from './call.ts';
import { MAY_ACT } from './role.ts';

/** The cached result of an operation; `reload` fetches it again. */
export function useOperation<N extends OperationName>(
  name: N,
  input: OperationInput<N>,
  options: {
    enabled?: boolean;
    /** Fetched again whenever a component that uses it is mounted. */
    fresh?: boolean;
    /** Fetched again at this interval while the page is visible. */
    refreshMs?: number;
    /** What the result depends on besides the input; a new value fetches it again and shows the old result until then. */
    state?: string | null;
  } = {},
): { data: OperationOutput<N> | undefined; error: unknown; isLoading: boolean; isAsking: boolean; reload(): void } {
  const query = useQuery({
    queryKey: [name, input, options.state],
    queryFn: ({ signal }) => call(name, input, signal),
    enabled: options.enabled ?? true,
    refetchInterval: options.refreshMs ?? false,
    refetchOnMount: options.fresh === true ? 'always' : true,
    ...(options.state === undefined ? {} : { placeholderData: keepPreviousData }),
  });
  return {
    data: query.data,
    error: query.error ?? undefined,
    isLoading: query.isPending && query.fetchStatus !== 'idle',
    isAsking: query.isFetching,
    reload: () => void query.refetch(),
  };
}

/** Runs an operation on demand: shows its error as a notice, and fetches the operations in `changes` again. A viewer gets a notice instead; marking as read is skipped silently. */
export function useAction<N extends OperationName>(
  name: N,
  options: {
    done?: string;
    onDone?(output: OperationOutput<N>): void;
    /** Whether the caller shows this error itself. */
    onError?(error: Error): boolean;
    changes?: readonly OperationName[];
  } = {},
): { act(input: OperationInput<N>): void; isBusy: boolean; error: unknown } {
  const client = useQueryClient();
  const mutation = useMutation({
    mutationFn: (input: OperationInput<N>) => call(name, input),
    onSuccess: (output) => {
      if (options.done !== undefined) notify({ kind: 'done', text: options.done });
      for (const changed of options.changes ?? []) void client.invalidateQueries({ queryKey: [changed] });
      options.onDone?.(output);
    },
    onError: (error) => {
      if (options.onError?.(error) !== true) notify({ kind: 'error', text: error.message, error });
    },
  });
  return {
    act: (input) => {
      if (MAY_ACT) mutation.mutate(input);
      else if (name !== 'mark-read')
        notify({ kind: 'error', text: 'A viewer cannot do this. Log in with an operator token.' });
    },
    isBusy: mutation.isPending,
    error: mutation.error ?? undefined,
  };
}
