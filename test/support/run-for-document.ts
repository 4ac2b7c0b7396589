import { RunDocument } from '../../src/schema/document.ts';
import type { Scratch } from './scratch.ts';

/** Runs a command that ends with the document of a run. */
export async function runForDocument(
  project: Pick<Scratch, 'mh'>,
  ...args: string[]
): Promise<RunDocument & { code: number | null }> {
  const { json, code, stderr } = await project.mh([...args, '--json']);
  const document = RunDocument.safeParse(json);
  if (!document.success) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
  return { ...document.data, code };
}
