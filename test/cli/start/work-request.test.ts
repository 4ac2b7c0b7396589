import { describe, expect, it } from 'vitest';
import { workRequest } from '../../../src/cli/start/work-request.ts';
import { Config } from '../../../src/schema/config.ts';
import { StartOptions } from '../../../src/schema/request.ts';
import { parseWork } from '../../../src/work-files/parse-work.ts';

const OPTIONS = StartOptions.parse({ dir: '/project' });
const DEFAULTS = { execute: false, yes: false, pr: true, through: false };

/** How a file of tasks lands, given the file, the settings and the command line. */
function landOf(file: string, settings: object, choices: Partial<typeof DEFAULTS> = {}) {
  const text = `${file}tasks: [{ id: a, title: A, description: Do it }]\n`;
  const work = parseWork(text, 'tasks.yaml', { roles: ['implement'] });
  const config = Config.parse(settings);
  return workRequest(work, { typed: OPTIONS, config, choices: { ...DEFAULTS, ...choices } }).options.land;
}

describe('whether a file of tasks becomes pull requests', () => {
  it('is decided by the settings when the file does not say', () => {
    expect(landOf('', { mode: 'yolo' })).toBe('pr');
    expect(landOf('', { autoPr: true })).toBe('pr');
    expect(landOf('', {})).toBeUndefined();
  });

  it('is decided by the file, over the settings', () => {
    expect(landOf('pr: none\n', { mode: 'yolo' })).toBeUndefined();
    expect(landOf('pr: none\n', { land: 'pr' })).toBe('branch');
    expect(landOf('pr: each\n', { land: 'merge' })).toBe('pr');
    expect(landOf('pr: run\n', { mode: 'review' })).toBe('pr');
  });

  it('is decided by the command line, over the file', () => {
    expect(landOf('pr: none\n', {}, { through: true })).toBe('pr');
    expect(landOf('pr: each\n', {}, { pr: false })).toBeUndefined();
    expect(landOf('pr: run\n', { land: 'pr' }, { pr: false, through: true })).toBe('branch');
  });
});
