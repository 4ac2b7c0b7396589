import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { OperationInput, OperationName, OperationOutput } from '../../operations/contracts.ts';
import { notify } from '../ui/feedback/notices.ts';
import { call } from './call.ts';

/** Whether who looks at this page may also act; the server decides, and says so in the page. */
export const MAY_ACT = document.querySelector<HTMLMetaElement>('meta[name="role"]')?.content !== 'viewer';

/** What an operation answers, kept until it is asked for anew; `again` asks. */
export function useOperation<N extends OperationName>(
  name: N,
  input: OperationInput<N>,
  options: { enabled?: boolean /** Asked for anew whenever a page begins to show it. */; fresh?: boolean } = {},
): { data: OperationOutput<N> | undefined; error: unknown; isLoading: boolean; isAsking: boolean; reload(): void } {
  const query = useQuery({
    queryKey: [name, input],
    queryFn: ({ signal }) => call(name, input, signal),
    enabled: options.enabled ?? true,
    refetchOnMount: options.fresh === true ? 'always' : true,
  });
  return {
    data: query.data,
    error: query.error ?? undefined,
    isLoading: query.isPending && query.fetchStatus !== 'idle',
    isAsking: query.isFetching,
    reload: () => void query.refetch(),
  };
}

/** Carries an operation out when it is called; what it refuses is shown, and what it may have changed is asked for anew. A viewer is told at once, and reads without leaving a mark. */
export function useAction<N extends OperationName>(
  name: N,
  options: { done?: string; onDone?(output: OperationOutput<N>): void; changes?: readonly OperationName[] } = {},
): { act(input: OperationInput<N>): void; isBusy: boolean; error: unknown } {
  const client = useQueryClient();
  const mutation = useMutation({
    mutationFn: (input: OperationInput<N>) => call(name, input),
    onSuccess: (output) => {
      if (options.done !== undefined) notify({ kind: 'done', text: options.done });
      for (const changed of options.changes ?? []) void client.invalidateQueries({ queryKey: [changed] });
      options.onDone?.(output);
    },
    onError: (error) => notify({ kind: 'trouble', text: error.message, error }),
  });
  return {
    act: (input) => {
      if (MAY_ACT) mutation.mutate(input);
      else if (name !== 'mark-read')
        notify({ kind: 'trouble', text: 'You are here as a viewer, who may look and not act' });
    },
    isBusy: mutation.isPending,
    error: mutation.error ?? undefined,
  };
}
