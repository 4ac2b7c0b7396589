import { describe, expect, it } from 'vitest';
import { workRequest } from '../../../src/cli/start/work-request.ts';
import { Config } from '../../../src/schema/config.ts';
import { StartOptions } from '../../../src/schema/request.ts';
import { parseWork } from '../../../src/work-files/parse-work.ts';

const TYPED = StartOptions.parse({ dir: '/project' });
const HERE = { execute: false, yes: false, pr: true, through: false };

/** Where the work of a file of tasks is to land, with what the file, the settings and the command say about it. */
function landOf(file: string, settings: object, choices: Partial<typeof HERE> = {}) {
  const text = `${file}tasks: [{ id: a, title: A, description: Do it }]\n`;
  const work = parseWork(text, 'tasks.yaml', { roles: ['implement'] });
  const config = Config.parse(settings);
  return workRequest(work, { typed: TYPED, config, choices: { ...HERE, ...choices } }).options.land;
}

describe('whether a file of tasks becomes pull requests', () => {
  it('is for the settings to say where the file is silent', () => {
    expect(landOf('', { mode: 'yolo' })).toBe('pr');
    expect(landOf('', { autoPr: true })).toBe('pr');
    expect(landOf('', {})).toBeUndefined();
  });

  it('is what the file says, against the settings', () => {
    expect(landOf('pr: none\n', { mode: 'yolo' })).toBeUndefined();
    expect(landOf('pr: none\n', { land: 'pr' })).toBe('branch');
    expect(landOf('pr: each\n', { land: 'merge' })).toBe('pr');
    expect(landOf('pr: run\n', { mode: 'review' })).toBe('pr');
  });

  it('is what was typed, against the file', () => {
    expect(landOf('pr: none\n', {}, { through: true })).toBe('pr');
    expect(landOf('pr: each\n', {}, { pr: false })).toBeUndefined();
    expect(landOf('pr: run\n', { land: 'pr' }, { pr: false, through: true })).toBe('branch');
  });
});
