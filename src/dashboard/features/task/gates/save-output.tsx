import type { ReactElement } from 'react';
import type { Evidence } from '../../../../schema/gate.ts';
import { call } from '../../../api/call.ts';
import { saveText } from '../../../ui/browser/save-text.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { useSave } from '../../../ui/feedback/use-save.ts';

type SaveOutputProps = { run: string; task: string; evidence: Evidence };

/** Saves the complete output of a check, of which the page shows the end. */
export function SaveOutput({ run, task, evidence: { gate, tree } }: SaveOutputProps): ReactElement {
  const [isSaving, save] = useSave(async () => {
    const { text } = await call('read-check-output', { run, task, gate, tree });
    if (text === null) throw new Error('The complete output was removed, or is on another machine');
    const name = [run, task, gate].map((part) => part.replaceAll(/\W+/g, '-')).join('-');
    saveText(`${name}.log`, text, 'text/plain');
  });
  return (
    <p>
      <Button busy={isSaving} onClick={() => void save()}>
        Save the complete output
      </Button>
    </p>
  );
}
