import { describe, expect, it } from 'vitest';
import { withTemplate } from '../../../src/recipes/job/job.ts';
import { JobInput, StartOptions } from '../../../src/schema/request.ts';
import type { Template } from '../../../src/schema/template.ts';

const TEMPLATE: Template = {
  name: 'style',
  summary: 'Keep to the style',
  text: 'Guide {{task}}',
  agent: 'ada',
  tier: 'light',
  role: 'testing',
  write: true,
  checks: ['npm test', 'lint'],
  budget: 2,
  from: 'project',
  file: '/style.md',
};

function requestWithTemplate(input: object, options: object) {
  const request = {
    input: JobInput.parse({ task: 'Do it', ...input }),
    options: StartOptions.parse({ dir: '/', ...options }),
  };
  return withTemplate(request, TEMPLATE);
}

describe('a job from a template', () => {
  it('takes from it what the request leaves open', () => {
    const { input, options } = requestWithTemplate({}, { checks: ['lint'] });
    expect(input).toMatchObject({
      task: 'Do it',
      guidelines: 'Guide {{task}}',
      role: 'testing',
      write: true,
      tier: 'light',
    });
    expect(options).toMatchObject({ agents: ['ada'], budget: 2, checks: ['lint', 'npm test'] });
  });

  it('keeps what the request sets, and does not let a role of its own write', () => {
    const { input, options } = requestWithTemplate({ role: 'research', tier: 'heavy' }, { agents: ['bob'], budget: 5 });
    expect([input.role, input.write, input.tier, options.agents, options.budget]).toEqual([
      'research',
      false,
      'heavy',
      ['bob'],
      5,
    ]);
  });
});
