import { AppError, messageOf } from '../errors.ts';
import { callAgentTool, serveAgentTools } from './agent-tools.ts';

/** Without a tool it serves all of them over MCP; with one it calls it and prints the result as JSON. */
async function runProgram([file = '', tool, json = '{}']: readonly string[]): Promise<number> {
  if (tool === undefined) {
    await serveAgentTools(file);
    return 0;
  }
  try {
    process.stdout.write(`${JSON.stringify(await callAgentTool(file, tool, json))}\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof AppError ? `${error.code}: ` : ''}${messageOf(error)}\n`);
    return 1;
  }
}

void runProgram(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
