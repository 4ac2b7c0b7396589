import { InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { momentText } from '../../../core/view/amounts.ts';
import { AppError } from '../../../errors.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import type { Session } from '../../platform.ts';
import { printJson, printLines, tableLines } from '../../render/output.ts';
import { parseSpan } from '../../start/schedule-options.ts';
import { resolveDir } from '../../target.ts';

const DAY_S = 86_400;
const MOST_S = 90 * DAY_S;

const Flags = CommonOptions.extend({
  expires: z.number().default(7 * DAY_S),
  address: z.string().optional(),
  list: z.boolean().default(false),
  revoke: z.string().optional(),
});
type Flags = z.infer<typeof Flags>;

const EXAMPLES = [
  'manyhands share k3v9x2ab --expires 2d',
  'manyhands share --address https://box.example.org',
  'manyhands share --list',
  'manyhands share --revoke 4f81c0aa',
];

/** Shares a run read-only by a link that works once, lists shares, and revokes them. */
export const shareCommand: CliCommand = {
  name: 'share',
  group: 'Watch',
  summary: 'share a run read-only by a link, list and revoke shares',
  define(command, session) {
    command
      .argument('[run]', 'default: the latest run of the project')
      .addOption(
        new Option('--expires <time>', 'when the access ends: 1m to 90d (default: 7d)').argParser(parseExpires),
      )
      .option('--address <url>', 'the address under which others reach the server, such as https://box.example.org')
      .option('--list', 'list the shares, of all runs or of the one that is named')
      .option('--revoke <share>', 'end a share at once, with every login by it');
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, { options: Flags, act: (flags, [run]) => act(session, flags, run) });
  },
};

async function act(session: Session, flags: Flags, run: string | undefined): Promise<number> {
  const { terminal, openCaller } = session.platform;
  if (flags.list && flags.revoke !== undefined) throw new AppError('USAGE', 'Use either --list or --revoke');
  await using caller = await openCaller(terminal.env);
  if (flags.revoke !== undefined) {
    const revoked = await caller.call('revoke-share', { share: flags.revoke });
    if (flags.json) printJson(terminal, revoked);
    else terminal.err(`Share ${revoked.share} is revoked.\n`);
    return 0;
  }
  if (flags.list) {
    const shares = await caller.call('list-shares', run === undefined ? {} : { run });
    if (flags.json) printJson(terminal, shares);
    else if (shares.length === 0) terminal.err('No run is shared.\n');
    else {
      const rows = shares.map((each) => [each.share, each.run, timeText(each.createdAt), timeText(each.expiresAt)]);
      printLines(terminal, tableLines(COLUMNS, rows, Number.MAX_SAFE_INTEGER));
    }
    return 0;
  }
  return share(session, flags, run);
}

const COLUMNS = [{ title: 'SHARE' }, { title: 'RUN' }, { title: 'SINCE' }, { title: 'UNTIL' }];

/** The link is printed once and stored nowhere. */
async function share(session: Session, flags: Flags, run: string | undefined): Promise<number> {
  const { terminal, openCaller, findServer } = session.platform;
  const dir = await resolveDir(terminal, flags.dir);
  await using caller = await openCaller(terminal.env);
  const isElsewhere = caller.engine() === 'server';
  const server = isElsewhere ? undefined : await findServer();
  const known = isElsewhere ? await loginUrl(terminal.env) : server?.url;
  const address = addressOf(flags.address ?? known);
  const input = { dir, expiresSeconds: flags.expires, ...(run === undefined ? {} : { run }) };
  const { path, token, ...made } = await caller.call('share-run', input);
  const link = `${address.origin}${path}`;
  if (flags.json) {
    printJson(terminal, { ...made, link, token });
    return 0;
  }
  printLines(terminal, [
    `Link     ${link}  (opens once, in one browser)`,
    `Run      ${made.run}, read-only, until ${timeText(made.expiresAt)}`,
    `Revoke   manyhands share --revoke ${made.share}`,
  ]);
  if (known === undefined) terminal.err('note: No server is running. The link works while one does: manyhands serve\n');
  else if (server?.kind === 'run') terminal.err('note: The server ends with its run. To keep it: manyhands serve\n');
  if (/^(127\.|localhost$|\[::1\]$)/.test(address.hostname))
    terminal.err('note: Only this machine reaches that address; docs/how-to/share-a-run.md shows how others do.\n');
  return 0;
}

async function loginUrl(env: NodeJS.ProcessEnv): Promise<string> {
  const { readLogin } = await import('../../../access/client/server-login.ts');
  return (await readLogin(env)).url;
}

function addressOf(text: string | undefined): URL {
  if (text === undefined)
    throw new AppError(
      'USAGE',
      'No server is running: start one with manyhands serve, or name its address with --address',
    );
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.pathname === '/') return url;
  throw new AppError(
    'USAGE',
    `--address must be the address of the server, such as https://box.example.org, not ${text}`,
  );
}

function parseExpires(text: string): number {
  const seconds = Math.round((parseSpan(text) ?? 0) / 1000);
  if (seconds >= 60 && seconds <= MOST_S) return seconds;
  throw new InvalidArgumentError('Use a duration from 1m to 90d, such as 12h or 7d.');
}

function timeText(at: string): string {
  return momentText(Date.parse(at));
}
