import type { JobInput, StartOptions } from '../../schema/request.ts';
import type { Template } from '../../schema/template.ts';

type JobRequest = { input: JobInput; options: StartOptions };

/** A request for a job with what its template says; what the request itself says wins, and the checks of both hold. */
export function withTemplate({ input, options }: JobRequest, template: Template): JobRequest {
  const { agent, tier, role, budget, checks, text } = template;
  const requestedRole = input.role ?? role;
  return {
    input: {
      ...input,
      guidelines: input.guidelines === undefined ? text : `${text}\n\n${input.guidelines}`,
      ...(requestedRole === undefined ? {} : { role: requestedRole }),
      write: input.write || (input.role === undefined && template.write === true),
      ...(input.tier !== undefined || tier === undefined ? {} : { tier }),
    },
    options: {
      ...options,
      checks: [...options.checks, ...checks.filter((check) => !options.checks.includes(check))],
      agents: options.agents.length > 0 || agent === undefined ? options.agents : [agent],
      ...(options.budget !== undefined || budget === undefined ? {} : { budget }),
    },
  };
}
