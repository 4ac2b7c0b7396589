import { findOnPath } from '../../../agents/program.ts';
import { messageOf } from '../../../errors.ts';
import type { McpServer } from '../../../schema/config/mcp.ts';
import type { Config } from '../../../schema/config.ts';
import type { DoctorLine } from './doctor-line.ts';

export type ServersExamination = {
  root: string;
  path: string;
  config: Config;
  env: NodeJS.ProcessEnv;
  online: boolean;
};

const ANSWER_MS = 5_000;
const BROWSERS = ['google-chrome', 'google-chrome-stable', 'chromium', 'chromium-browser', 'chrome', 'microsoft-edge'];
const BROWSER_APPS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];
/** Arguments that specify the browser in another way. */
const OWN_BROWSER = /^(--browser-?url|-u|--wsEndpoint|--executable-?path|-e|--autoConnect)(=|$)/i;

/** Checks the MCP servers: a program must exist; a URL is contacted only with `online`. */
export async function examineServers(what: ServersExamination): Promise<DoctorLine[]> {
  const servers = await Promise.all(
    Object.entries(what.config.mcp).map(([name, server]) => serverLine(what, `mcp ${name}`, server)),
  );
  const { browser } = what.config.verify;
  return [...servers, ...(browser.enabled ? browserLines(what) : [])];
}

async function serverLine(what: ServersExamination, name: string, server: McpServer): Promise<DoctorLine> {
  if ('command' in server) return programLine(what, name, server.command);
  const address = new URL(server.url).origin;
  if (!what.online)
    return { name, ok: true, required: false, detail: `${address}: not checked; --online contacts it`, fix: null };
  try {
    const { status } = await fetch(server.url, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return { name, ok: true, required: false, detail: `${address} answers (${status})`, fix: null };
  } catch (error) {
    const why = error instanceof Error ? (error.cause ?? error) : error;
    const detail = `${address} does not answer: ${messageOf(why)}`;
    return { name, ok: false, required: false, detail, fix: `Start the server, or correct mcp.${name.slice(4)}.url.` };
  }
}

function programLine({ root, path }: ServersExamination, name: string, command: string): DoctorLine {
  const found = findOnPath(command, { dir: root, path });
  if ('found' in found) return { name, ok: true, required: false, detail: found.found, fix: null };
  return { name, ok: false, required: false, detail: found.missing, fix: `Install ${command}, or use its full path.` };
}

function browserLines(what: ServersExamination): DoctorLine[] {
  const { command, args } = what.config.verify.browser;
  const starter = programLine(what, 'browser tools', command ?? 'npx');
  if (args.some((arg) => OWN_BROWSER.test(arg)))
    return [starter, { name: 'browser', ok: true, required: false, detail: 'set in verify.browser.args', fix: null }];
  const search = { dir: what.root, path: what.path };
  const found = [...BROWSERS, ...BROWSER_APPS].map((name) => findOnPath(name, search)).find((each) => 'found' in each);
  if (found !== undefined && 'found' in found)
    return [starter, { name: 'browser', ok: true, required: false, detail: found.found, fix: null }];
  const fix = 'Install Chrome or Chromium, or set one with verify.browser.args: ["--executablePath", "<path>"].';
  return [starter, { name: 'browser', ok: false, required: false, detail: 'no Chrome or Chromium is on PATH', fix }];
}
