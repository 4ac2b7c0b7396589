import { z } from 'zod';
import { durationText } from '../../../core/view/amounts.ts';
import { AppError, messageOf } from '../../../errors.ts';
import { onThisMachine } from '../../../home.ts';
import type { DoctorLine } from '../../../operations/maintenance/doctor/doctor-line.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { type EngineNote, engineNote } from '../../follow/engine-note.ts';
import { followRun } from '../../follow/follow-run.ts';
import { showStep } from '../../follow/show-steps.ts';
import type { Platform, Session } from '../../platform.ts';
import { cleanText } from '../../render/clean-text.ts';
import { printJson, printLines } from '../../render/output.ts';
import { painter } from '../../render/symbols.ts';
import { textWidth } from '../../render/text-width.ts';
import { resolveDir } from '../../target.ts';
import type { Terminal } from '../../terminal/terminal.ts';

const GOAL = 'Rehearse: add a note about this repository';

const Flags = CommonOptions.extend({ selfTest: z.boolean().default(false), online: z.boolean().default(false) });

const EXAMPLES = ['manyhands doctor', 'manyhands doctor --self-test', 'manyhands doctor --json'];
const EXIT_CODES = `Exit codes:
  0  everything required is available
  2  invalid command line
  3  something required is missing, or the self-test failed`;

/** Checks what Manyhands needs; with --self-test it also runs a rehearsed goal from plan to landing. */
export const doctorCommand: CliCommand = {
  name: 'doctor',
  group: 'Maintenance',
  summary: 'check what Manyhands needs',
  define(command, session) {
    command
      .option('--self-test', 'also run a small rehearsed goal in a temporary repository')
      .option('--online', 'also contact the servers in the settings');
    addHelp(addDir(addJson(command)), EXAMPLES, EXIT_CODES);
    whenCalled(command, session, {
      options: Flags,
      act: async (flags) => {
        const { terminal } = session.platform;
        const lines = await diagnose(session, await resolveDir(terminal, flags.dir), flags.online);
        if (flags.selfTest) lines.push(await selfTest(session.platform));
        if (flags.json) printJson(terminal, lines);
        else printLines(terminal, doctorLines(terminal, lines));
        return lines.every(({ ok, required }) => ok || !required) ? 0 : 3;
      },
    });
  },
};

async function diagnose({ platform }: Session, dir: string, online: boolean): Promise<DoctorLine[]> {
  using _step = showStep(platform, { about: 'doctor', what: 'checks the data directory, programs and settings' });
  await using caller = await platform.openCaller(onThisMachine(platform.terminal.env));
  const lines = await caller.call('doctor', { dir, ...(online ? { online } : {}) });
  lines.unshift(...(await serverLine(platform)));
  const note = await engineNote(caller, platform.terminal, dir);
  return note === undefined ? lines : [engineLine(note), ...lines];
}

/** The server that other commands use: the lines below are about this machine. */
async function serverLine(platform: Platform): Promise<DoctorLine[]> {
  const line = { name: 'server', required: false };
  try {
    await using caller = await platform.openCaller(platform.terminal.env);
    if (caller.server === undefined) return [];
    const { leader } = await caller.call('show-leader', {});
    const led = leader === null ? '' : `; ${leader.holder} leads`;
    const detail = `other commands use ${caller.server}${led}; the lines below are about this machine`;
    return [{ ...line, ok: true, detail, fix: null }];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [{ ...line, ok: false, detail: error.message, fix: error.hint }];
  }
}

/** The lines below were found by the engine, in its own environment. */
function engineLine({ engine, differences }: EngineNote): DoctorLine {
  const isSame = differences.length === 0;
  const found = isSame ? 'the same PATH as here' : differences.join('; ');
  const detail = `${engine}, answers and runs the agents: ${found}`;
  const fix = isSame ? null : 'To use the environment of this shell: manyhands stop, then manyhands serve.';
  return { name: 'engine', ok: isSame, required: false, detail, fix };
}

function doctorLines(terminal: Terminal, lines: readonly DoctorLine[]): string[] {
  const colors = painter(terminal.colors.out);
  const width = lines.reduce((longest, { name }) => Math.max(longest, textWidth(name)), 0);
  return lines.flatMap(({ name, ok, required, detail, fix }) => {
    const mark = ok ? colors.green('✓') : required ? colors.red('✗') : colors.yellow('!');
    const line = `${mark} ${name}${' '.repeat(width - textWidth(name))}  ${cleanText(detail)}`;
    if (ok || fix === null) return [line];
    const indent = ' '.repeat(width + 4);
    return [
      line,
      ...fix.split('\n').map((part, index) => `${indent}${index === 0 ? `${colors.dim('fix:')} ` : ''}${part}`),
    ];
  });
}

/** Runs a rehearsed goal from plan to landing, in a repository and a data directory of its own. */
async function selfTest(platform: Platform): Promise<DoctorLine> {
  const startedAt = platform.world.now();
  const outcome = await rehearse(platform).catch((error: unknown) => `error: ${messageOf(error)}`);
  const took = durationText(platform.world.now() - startedAt);
  return {
    name: 'self-test',
    ok: outcome === 'done',
    required: true,
    detail:
      outcome === 'done'
        ? `a rehearsed goal was planned, done, checked and landed in ${took}`
        : `after ${took}: ${outcome}`,
    fix:
      outcome === 'done' ? null : 'Fix the lines above that are not ok, then run manyhands doctor --self-test again.',
  };
}

async function rehearse(platform: Platform): Promise<string> {
  const since = platform.world.now();
  await using repository = await platform.makeScratchRepository();
  const { dir, home } = repository;
  await using caller = await platform.openCaller({ ...onThisMachine(platform.terminal.env), MANYHANDS_HOME: home });
  const options = { dir, rehearse: true, checks: ['git rev-parse HEAD'], title: 'Self-test' };
  const { run } = await caller.call('start-run', { recipe: 'goal', input: { goal: GOAL }, options });
  const followed = await followRun({ platform, caller, dir, run, since, takesOver: true });
  if (followed.kind === 'interrupted') return 'interrupted';
  const { status, reason } = followed.document;
  return status === 'done' ? 'done' : `${status}: ${reason ?? 'no reason recorded'}`;
}
