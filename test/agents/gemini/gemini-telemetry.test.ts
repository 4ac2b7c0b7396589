import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { geminiFailure } from '../../../src/agents/gemini/gemini-failure.ts';
import { consumeLastFinish, telemetryFile } from '../../../src/agents/gemini/gemini-telemetry.ts';
import { makeAssignment } from '../../contracts/attempt.ts';

const note = (finish: string, role: string) =>
  JSON.stringify(
    { attributes: { 'event.name': 'gemini_cli.api_response', finish_reasons: [finish], role, status_code: 200 } },
    null,
    2,
  );
const END = { exit: { kind: 'exited', code: 0 }, warnings: [], stderr: '' } as const;
const SUCCESS = { type: 'result', status: 'success', error: undefined, stats: undefined } as const;

describe('the telemetry of Gemini', () => {
  it.each([
    [[note('stop', 'main'), note('length', 'main')], 'length'],
    [[note('length', 'main'), note('stop', 'main')], 'stop'],
    [[note('stop', 'main'), note('length', 'utility_summarizer')], 'stop'],
    [['{"half a no'], undefined],
  ])('says why the last one of its own conversation ended (%#)', async (notes, finish) => {
    await using made = await makeAssignment();
    const file = telemetryFile(made.assignment.folder);
    await mkdir(dirname(file));
    await writeFile(file, notes.join('\n'));
    expect(consumeLastFinish(made.assignment.folder)).toBe(finish);
    expect(existsSync(file)).toBe(false);
    expect(consumeLastFinish(made.assignment.folder)).toBeUndefined();
  });

  it('makes a truncated answer a failure', () => {
    expect(geminiFailure({ ...END, result: SUCCESS, lastFinish: 'length' })).toMatchObject({ kind: 'bad-output' });
    expect(geminiFailure({ ...END, result: SUCCESS, lastFinish: 'stop' })).toBeUndefined();
    expect(geminiFailure({ ...END, result: SUCCESS, lastFinish: undefined })).toBeUndefined();
  });
});

describe('a session that Gemini does not know', () => {
  it('is lost, and not an error of the environment', () => {
    const stderr = 'Error resuming session: No previous sessions found for this project.';
    const exit = { kind: 'exited', code: 42 } as const;
    const end = { warnings: [], stderr, exit, result: undefined, lastFinish: undefined };
    expect(geminiFailure(end)).toMatchObject({ kind: 'session-lost', message: stderr });
    expect(geminiFailure({ ...end, stderr: 'Cannot read the prompt' })).toMatchObject({ kind: 'environment' });
  });
});
