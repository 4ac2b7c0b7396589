import { useAction } from '../api/use-operation.ts';
import type { RunDeed } from './run-actions.ts';

/** Carries out what the palette asks for about a run. */
export function useRunDeeds(): (run: string, deed: RunDeed) => void {
  const approve = useAction('approve-run', { done: 'Approved' });
  const retry = useAction('retry-run', { done: 'It is tried again' });
  const pause = useAction('pause-run', { done: 'Paused' });
  const resume = useAction('resume-runs', { done: 'It goes on' });
  const cancel = useAction('cancel-run', { done: 'Cancelled; everything it made is kept' });
  const land = useAction('land-run', { done: 'Landed' });
  const flag = useAction('flag-run', { done: 'Flagged' });
  const mark = useAction('mark-read');
  return (run, deed) => {
    const acts: Record<RunDeed, () => void> = {
      'approve-run': () => approve.act({ run }),
      'retry-run': () => retry.act({ run }),
      'pause-run': () => pause.act({ run }),
      resume: () => resume.act({ run }),
      'cancel-run': () => cancel.act({ run }),
      'land-run': () => land.act({ run }),
      'flag-run': () => flag.act({ run }),
      'mark-unread': () => mark.act({ run, read: false }),
    };
    acts[deed]();
  };
}
