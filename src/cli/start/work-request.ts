import type { FileStart } from '../../recipes/file-request.ts';
import { recipeOf } from '../../recipes/registry.ts';
import { StartRequest } from '../../schema/request.ts';
import type { WorkFile } from '../../schema/work-file.ts';

/** The request of a work file; the command line overrides the file, and both override the defaults. */
export function workRequest({ recipe, input, options }: WorkFile, start: FileStart): StartRequest {
  const request = { input, options: { ...options, ...start.typed } };
  return StartRequest.parse({ recipe, ...(recipeOf(recipe).workFile?.request?.(request, start) ?? request) });
}
