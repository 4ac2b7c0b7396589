import { describe, expect, it } from 'vitest';
import { RunEvent } from '../../../src/schema/event.ts';
import { started } from '../../support/given.ts';

describe('settings on record', () => {
  it('are read also when they were written with the name that a key had then', () => {
    const event = structuredClone(started());
    const { output: _, ...limits } = event.data.config.limits;
    const { copyDirs: __, ...workspace } = event.data.config.workspace;
    const config = {
      ...event.data.config,
      limits: { ...limits, outputBytes: 1234 },
      workspace: { ...workspace, symlinkDirs: ['deps'] },
    };
    const read = RunEvent.parse({ ...event, data: { ...event.data, config } });
    expect(read.type === 'run.started' && read.data.config.limits.output.maxBytes).toBe(1234);
    expect(read.type === 'run.started' && read.data.config.workspace.copyDirs).toEqual(['deps']);
  });
});
