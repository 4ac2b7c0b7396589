import { z } from 'zod';

/** What programs may reach; from the loosest to the tightest. */
const MODES = ['open', 'listed', 'none'] as const;

const HOST = /^(\*\.)?[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$/;
const ADDRESS = /^(\d{1,3}(\.\d{1,3}){3}|\[[0-9A-Fa-f:.]+\]|localhost|.*\.localhost)$/i;

/** A host as people name it: a name, *. and a name, or an address with its port. */
const AllowedHost = z
  .string()
  .refine(isHost, 'must be a host such as api.example.com, *.example.com or 127.0.0.1:8080; an address needs its port');

/** What Manyhands derives from the settings of both scopes; no file can set it. */
const DerivedNetwork = z
  .strictObject({
    trusted: z.array(z.string()).describe("Hosts of the project's file, which the person trusts."),
    named: z.array(z.string()).describe("Hosts that the person's own settings of agents and MCP servers name."),
    ignored: z
      .array(z.string())
      .describe("Hosts of the project's file, which the person does not trust, and its addresses."),
    hash: z.string().describe("The SHA-256 of the project's file."),
  })
  .optional();

export const NetworkConfig = z
  .strictObject({
    mode: z
      .enum(MODES)
      .default('listed')
      .describe(
        'What contained programs may reach. listed: agents reach their vendor, the package registries that the project names, and its forge; set-up commands the same without the vendor; checks only their own loopback; none: only their own loopback; open: everything. The file of a project can only make it tighter.',
      ),
    allow: z
      .array(AllowedHost)
      .default([])
      .describe(
        'Further hosts that agents, set-up commands and checks may reach, such as api.example.com (ports 80 and 443), db.example.com:5432, *.example.com. Hosts of this machine or a private network need their port (127.0.0.1:11434), and count only in your own settings. Hosts in the file of a project count once you trust that file by its hash (trust).',
      ),
    derived: DerivedNetwork.describe('Set by Manyhands.'),
  })
  .prefault({});

type Plain = Readonly<Record<string, unknown>>;

/** The name by which the file of a project is trusted. */
const PROJECT_FILE = '.manyhands/config.yaml';

/**
 * The network settings in force: the project's mode where it is tighter, its hosts where the person trusts the file by its
 * hash, and no address of it. `below` are the person's own settings.
 */
export function combinedNetwork(below: Plain, project: Plain | undefined, hash: string) {
  const { mode, allow } = plainOf(below.network);
  const theirs = plainOf(project?.network);
  const isTighter = rankOf(theirs.mode) > rankOf(mode ?? 'listed');
  const hosts = stringsOf(theirs.allow).filter((host) => !needsPort(host));
  const isTrusted = isTrustedFile(below, hash);
  return {
    ...(isTighter ? { mode: theirs.mode } : mode === undefined ? {} : { mode }),
    ...(allow === undefined ? {} : { allow }),
    derived: {
      trusted: isTrusted ? hosts : [],
      named: namedHosts(below),
      ignored: stringsOf(theirs.allow).filter((host) => !isTrusted || needsPort(host)),
      hash,
    },
  };
}

/** Whether the person's own settings trust the project's file by its hash. */
export function isTrustedFile(below: Plain, hash: string): boolean {
  return plainOf(below.trust)[PROJECT_FILE] === hash;
}

/** The line of a person's own settings that trusts the project's file. */
export function trustText(hash: string): string {
  return `trust: { ${PROJECT_FILE}: ${hash} }`;
}

/** Which hosts of a project's file have no effect and what to do so that they have one; undefined where there are none. */
export function ignoredHostsText({ derived }: z.infer<typeof NetworkConfig>): string | undefined {
  if (derived === undefined || derived.ignored.length === 0) return undefined;
  const what = `network.allow of ${PROJECT_FILE} (${derived.ignored.join(', ')}) has no effect, because`;
  if (derived.ignored.every(needsPort)) return `${what} addresses count only in your own settings`;
  return `${what} you have not trusted the file; to trust it, add to your settings: ${trustText(derived.hash)}`;
}

/** The host and port of each address in a text such as a variable, an argument or a document. */
export function hostsInText(text: string): string[] {
  const found = text.match(/\b(?:https?|wss?):\/\/[^\s"'<>\\,{}|^`]+/gi) ?? [];
  return found.flatMap((address) => {
    const url = URL.parse(address);
    if (url === null || url.hostname === '') return [];
    const port = url.port || (/^(https|wss):$/.test(url.protocol) ? '443' : '80');
    return [`${url.hostname}:${port}`];
  });
}

/** Addresses in the person's own settings of agents, their logins and MCP servers. */
function namedHosts(below: Plain): string[] {
  const agents = Object.values(plainOf(below.agents)).map(plainOf);
  const accounts = agents.flatMap(({ accounts: each }) => Object.values(plainOf(each)).map(plainOf));
  const servers = Object.values(plainOf(below.mcp)).map(plainOf);
  const texts = [
    ...[...agents, ...accounts, ...servers].flatMap(({ env }) => Object.values(plainOf(env))),
    ...[...agents, ...servers].flatMap(({ args }) => stringsOf(args)),
    ...servers.map(({ url }) => url),
  ];
  return [...new Set(texts.flatMap((text) => (typeof text === 'string' ? hostsInText(text) : [])))];
}

function isHost(text: string): boolean {
  const [, host = text, digits] = /^(.*):(\d{1,5})$/.exec(text) ?? [];
  const hasPort = digits !== undefined;
  if (hasPort && (Number(digits) < 1 || Number(digits) > 65_535)) return false;
  return ADDRESS.test(host) ? hasPort : HOST.test(host);
}

/** Whether a host counts only in the person's own settings. */
function needsPort(text: string): boolean {
  return ADDRESS.test(text.replace(/:\d{1,5}$/, ''));
}

function rankOf(mode: unknown): number {
  const ranks: readonly unknown[] = MODES;
  return ranks.indexOf(mode);
}

function plainOf(value: unknown): Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Plain) : {};
}

function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
