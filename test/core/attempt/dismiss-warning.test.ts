import { expect, it } from 'vitest';
import { warnOf } from '../../../src/core/attempt/decide-attempt.ts';
import { dismissWarning } from '../../../src/core/attempt/dismiss-warning.ts';
import type { RunState } from '../../../src/core/run/state.ts';
import { runDocument } from '../../../src/core/view/document.ts';
import { added, attempted, given, spec, started } from '../../support/given.ts';

const SILENT = { sign: 'silent' as const, message: 'it has said nothing' };
const warning = (state: RunState) => warnOf(state, { task: 'a', attempt: 1, warnings: [SILENT] });
const dismissing = (state: RunState) => dismissWarning(state, { task: 'a', attempt: 1, sign: 'silent' });
const warned = given(started(), added(spec('a')), attempted('a')).when(warning);

it('shows a dismissed warning no longer, keeps it on record, and does not warn of the same again', () => {
  expect(runDocument(warned.state).tasks[0]?.warnings).toEqual(['it has said nothing']);
  const dismissed = warned.when(dismissing);
  expect(runDocument(dismissed.state).tasks[0]?.warnings).toEqual([]);
  expect(dismissed.state.tasks.a?.attempts[0]?.warnings).toMatchObject([{ sign: 'silent', dismissed: true }]);
  expect(dismissed.when(warning).events).toEqual([]);
  expect(dismissed.when(dismissing).events).toEqual([]);
});

it('refuses a warning that was never given', () => {
  expect(() => dismissWarning(warned.state, { task: 'a', attempt: 1, sign: 'many-turns' })).toThrow('no warning');
  expect(() => dismissWarning(warned.state, { task: 'a', attempt: 2, sign: 'silent' })).toThrow('Attempt 2 of a');
});
