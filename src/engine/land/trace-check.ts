import { createHash } from 'node:crypto';
import { mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { CommandGateSpec } from '../../gates/gate-kinds.ts';
import { runSupervised } from '../../process/supervised.ts';
import { readTrace, tracedCommand } from '../../process/trace.ts';
import { gateCheckout } from '../../workspaces/checkout.ts';
import { containCommands } from '../attempt/containment.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { checkoutOf } from './perform-check.ts';

const TracedPaths = z.array(z.string());
/** A traced check may take this many times as long. */
const SLOWEST_TRACING = 2.5;
const MAX_TRACED_OUTPUT_BYTES = 64 * 1024 * 1024;

/** The files of the run's base that a check opens or executes, traced once for each base and command; empty where that is not possible. */
export async function tracedFiles(
  ctx: EngineContext,
  run: ActiveRun,
  gate: CommandGateSpec,
): Promise<readonly string[]> {
  const { base, config } = run.ledger.state.start;
  const name = createHash('sha256').update(`${base.commit} ${ctx.implementations.definition(gate, config)}`);
  const file = join(ctx.home.root, 'traces', `${name.digest('hex')}.json`);
  // A trace that is missing or cannot be read is made again.
  const known = TracedPaths.safeParse(JSON.parse(await readFile(file, 'utf8').catch(() => 'null')));
  if (known.success) return known.data;
  // A check that cannot be traced is judged by what its scripts name.
  const paths = await traceCheck(ctx, run, gate).catch(() => undefined);
  ctx.stopping.throwIfAborted();
  run.cancel.signal.throwIfAborted();
  if (paths === undefined) return [];
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.new`, JSON.stringify(paths));
  await rename(`${file}.new`, file);
  return paths;
}

async function traceCheck(ctx: EngineContext, run: ActiveRun, gate: CommandGateSpec): Promise<string[] | undefined> {
  const { contain, limits } = await containCommands(ctx, run, 'check');
  const options = await checkoutOf(ctx, run, run.ledger.state.start.base.commit);
  return ctx.checkSlots.with(async () => {
    const folder = join(ctx.home.attempts, `${run.id}-gate-${ctx.world.token()}`);
    const traces = `${folder}-trace`;
    await using checkout = await gateCheckout(options);
    const root = await realpath(checkout.path);
    const text = gate.onBase ?? gate.run;
    const command = typeof text === 'string' ? ['/bin/sh', '-c', text] : text;
    await runSupervised({
      folder,
      command: await tracedCommand(contain?.({ command, cwd: root, env: options.env }) ?? command, traces),
      cwd: root,
      env: options.env,
      limits,
      timeoutMs: gate.timeoutMs * SLOWEST_TRACING,
      maxOutputBytes: MAX_TRACED_OUTPUT_BYTES,
      signal: options.signal,
    });
    const paths = await readTrace(traces, root);
    for (const each of [folder, traces]) await rm(each, { recursive: true, force: true });
    return paths;
  }, options.signal);
}
