import type { TemplatesPort } from '../../app/port-interfaces.ts';
import { listTemplates, loadTemplate, templateSources } from '../../templates/load.ts';

/** The templates that hold for a folder, from their files. */
export function templatesPort(env: NodeJS.ProcessEnv): TemplatesPort {
  return {
    list: async (dir) => listTemplates(await templateSources(env, dir)),
    load: async (dir, name) => loadTemplate(name, await templateSources(env, dir)),
  };
}
