import { loadConfig } from '../config/load.ts';
import { type Redact, redactor, secretsAmong } from '../core/redact.ts';
import { AppError, messageOf } from '../errors.ts';
import type { World } from '../world.ts';

/** The process in which an error occurred. */
export type ErrorSource = {
  env: NodeJS.ProcessEnv;
  version: string;
  world: World;
  /** What was requested: the name of a command, or a route. */
  action: string;
};

/** An error without secrets and paths of the user. */
type ErrorReport = { type: string; message: string; stack: string; at: number; id: string };

type Request = { url: string; headers: Record<string, string>; body: string };

/** A receiver that does not answer must not delay the end of a command. */
const SEND_MS = 3_000;
const FRAME = /^\s*at (?:(.*?) \()?(.*?):(\d+):(\d+)\)?$/;

/** Sends an unexpected error to the receiver of the user's own settings, if there is one; never throws. */
export async function reportError(error: unknown, source: ErrorSource): Promise<void> {
  if (error instanceof AppError && error.code !== 'INTERNAL') return;
  try {
    const { report: receiver } = (await loadConfig({ env: source.env })).errors;
    if (receiver === 'off') return;
    const { url, headers, body } = requestTo(new URL(receiver), reportOf(error, source), source);
    const signal = AbortSignal.timeout(SEND_MS);
    const answer = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
    await answer.body?.cancel();
  } catch {
    // The error itself is still printed; that it could not be reported is no second one.
  }
}

function requestTo(receiver: URL, report: ErrorReport, source: ErrorSource): Request {
  return receiver.username === '' ? otlpRequest(receiver, report, source) : sentryRequest(receiver, report, source);
}

function reportOf(error: unknown, { env, world }: ErrorSource): ErrorReport {
  const redact = redactor(secretsAmong(env));
  const shown = withoutHome(redact, env.HOME);
  const type = error instanceof Error ? error.constructor.name : typeof error;
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const id = world.token().replaceAll('-', '');
  return { type, message: shown(messageOf(error)), stack: shown(stack), at: world.now(), id };
}

function withoutHome(redact: Redact, home: string | undefined): (text: string) => string {
  return (text) =>
    home === undefined || home === '/' || home === '' ? redact(text) : redact(text).replaceAll(home, '~');
}

/** An envelope with one event, as Sentry's developer documentation describes it. */
function sentryRequest(dsn: URL, report: ErrorReport, { version, action }: ErrorSource): Request {
  const project = dsn.pathname.split('/').at(-1) ?? '';
  const prefix = dsn.pathname.slice(0, -project.length);
  const event = {
    event_id: report.id,
    timestamp: report.at / 1000,
    platform: 'node',
    level: 'error',
    release: `manyhands@${version}`,
    tags: { action, node: process.version, os: process.platform },
    exception: {
      values: [{ type: report.type, value: report.message, stacktrace: { frames: framesOf(report.stack) } }],
    },
  };
  const head = { event_id: report.id, sent_at: new Date(report.at).toISOString() };
  return {
    url: `${dsn.protocol}//${dsn.host}${prefix}api/${project}/envelope/`,
    headers: {
      'content-type': 'application/x-sentry-envelope',
      'x-sentry-auth': `Sentry sentry_version=7, sentry_client=manyhands/${version}, sentry_key=${dsn.username}`,
    },
    body: [head, { type: 'event' }, event].map((part) => `${JSON.stringify(part)}\n`).join(''),
  };
}

/** The frames of a stack, the innermost last. */
function framesOf(stack: string): { function?: string; filename: string; lineno: number; colno: number }[] {
  const frames = stack.split('\n').flatMap((line) => {
    const [, name, filename, lineno, colno] = FRAME.exec(line) ?? [];
    if (filename === undefined) return [];
    return [
      { ...(name === undefined ? {} : { function: name }), filename, lineno: Number(lineno), colno: Number(colno) },
    ];
  });
  return frames.reverse();
}

/** One log record in the JSON of OTLP/HTTP, with the attributes of OpenTelemetry's conventions for exceptions. */
function otlpRequest(receiver: URL, report: ErrorReport, { version, action }: ErrorSource): Request {
  const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
  const record = {
    timeUnixNano: `${report.at}000000`,
    severityNumber: 17,
    severityText: 'ERROR',
    body: { stringValue: report.message },
    attributes: [
      text('exception.type', report.type),
      text('exception.message', report.message),
      text('exception.stacktrace', report.stack),
      text('manyhands.action', action),
    ],
  };
  const resource = { attributes: [text('service.name', 'manyhands'), text('service.version', version)] };
  const path = receiver.pathname.replace(/\/$/, '');
  return {
    url: `${receiver.origin}${path.endsWith('/v1/logs') ? path : `${path}/v1/logs`}`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      resourceLogs: [{ resource, scopeLogs: [{ scope: { name: 'manyhands' }, logRecords: [record] }] }],
    }),
  };
}
