import type { ReactElement } from 'react';
import type { TranscriptLine } from '../../../../schema/transcript-page.ts';
import { call } from '../../../api/call.ts';
import { saveText } from '../../../ui/browser/save-text.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { useSave } from '../../../ui/feedback/use-save.ts';
import type { AttemptRef } from './use-transcript.ts';

/** The most rows that one request returns. */
const PAGE_ROWS = 1_000;

/** Saves the whole transcript of an attempt as a text file, a line or more for each row. */
export function SaveTranscript({ which }: { which: AttemptRef }): ReactElement {
  const { run, task, attempt } = which;
  const [isBusy, save] = useSave(async () =>
    saveText(`${run}-${task.replaceAll('/', '-')}-${attempt}.log`, await wholeText(which), 'text/plain'),
  );
  return (
    <Button weight="quiet" busy={isBusy} title="Save the whole transcript as a file" onClick={() => void save()}>
      Save
    </Button>
  );
}

async function wholeText(which: AttemptRef): Promise<string> {
  const texts: string[] = [];
  for (let offset = 0; ; offset += PAGE_ROWS) {
    const { rows } = await call('read-transcript', { ...which, offset, limit: PAGE_ROWS });
    texts.push(...rows.map(rowText));
    if (rows.length < PAGE_ROWS) return texts.join('');
  }
}

function rowText({ at, kind, text, stderr }: TranscriptLine): string {
  return `${new Date(at).toISOString()} ${kind}${stderr === true ? ' (stderr)' : ''}: ${text}\n`;
}
