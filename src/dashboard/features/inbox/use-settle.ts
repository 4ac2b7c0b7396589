import { useState } from 'react';
import { call } from '../../api/call.ts';
import { notify } from '../../ui/notices.ts';
import { settlingOf, type Waiting } from './waiting.ts';

type Settle = {
  /** Does what settles an item; what is under way is not done twice. */
  settle(item: Waiting): void;
  retry(item: Waiting): void;
  isBusy(item: Waiting): boolean;
};

/** Settles what waits: approves, retries or resumes it. It stays busy until the overview says what became of it, or it is refused. */
export function useSettle(): Settle {
  const [busy, setBusy] = useState<ReadonlySet<string>>(new Set());
  const keyOf = ({ key, since }: Waiting) => `${key} ${since}`;
  const execute = async (item: Waiting, act: () => Promise<unknown>, done: string) => {
    const key = keyOf(item);
    if (busy.has(key)) return;
    setBusy((before) => new Set([...before, key]));
    try {
      await act();
      notify({ kind: 'done', text: done });
    } catch (error) {
      setBusy((before) => new Set([...before].filter((each) => each !== key)));
      notify({ kind: 'trouble', text: error instanceof Error ? error.message : String(error), error });
    }
  };
  const trackOf = ({ track }: Waiting) => (track === undefined ? {} : { track });
  const about = ({ run, task }: Waiting) => ({ run, ...(task === null ? {} : { task }) });
  const retry = (item: Waiting) => void execute(item, () => call('retry-run', about(item)), 'It is tried again');
  return {
    settle: (item) => {
      const { operation } = settlingOf(item.what);
      if (operation === 'approve-run') void execute(item, () => call('approve-run', about(item)), 'Approved');
      else if (operation === 'retry-run') retry(item);
      else void execute(item, () => call('resume-runs', { run: item.run, ...trackOf(item) }), 'It goes on');
    },
    retry,
    isBusy: (item) => busy.has(keyOf(item)),
  };
}
