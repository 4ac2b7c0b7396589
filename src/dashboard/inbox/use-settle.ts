import { useAction } from '../api/use-operation.ts';
import { settlingOf, type Waiting } from './waiting.ts';

/** Settles what waits: approves, retries or resumes it; the overview then says what became of it. */
export function useSettle(): { settle(item: Waiting): void; retry(item: Waiting): void; isBusy: boolean } {
  const approve = useAction('approve-run', { done: 'Approved' });
  const retry = useAction('retry-run', { done: 'It is tried again' });
  const resume = useAction('resume-runs', { done: 'It goes on' });
  const about = ({ run, task }: Waiting) => ({ run, ...(task === null ? {} : { task }) });
  return {
    settle: (item) => {
      const { operation } = settlingOf(item.what);
      if (operation === 'approve-run') approve.act(about(item));
      else if (operation === 'retry-run') retry.act(about(item));
      else resume.act({ run: item.run });
    },
    retry: (item) => retry.act(about(item)),
    isBusy: approve.isBusy || retry.isBusy || resume.isBusy,
  };
}
