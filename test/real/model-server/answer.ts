import type { ServerResponse } from 'node:http';
import { realWorld } from '../../../src/world.ts';
import type { Dialect, Refusal } from './dialect.ts';
import type { Turn } from './scenario.ts';
import type { Fault, Reason, RecordedRequest, Reply } from './step.ts';

const STREAM = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' } as const;
const JSON_TYPE = { 'content-type': 'application/json' } as const;
/** So that half of it is still a text. */
const LONG = 'This answer begins well and has much to say before it comes to its end. '.repeat(2);
/** Long enough for a client on a busy machine to have read what came before. */
const APART_MS = 200;
const HTML = '<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>';

/** Answers a request as its turn of the scenario says, well or badly. */
export function answer(
  response: ServerResponse,
  dialect: Dialect,
  what: { requests: RecordedRequest; turn: Turn },
): void {
  const { requests: recorded, turn } = what;
  if (turn.fault !== undefined) goWrong(response, dialect, { asked: recorded, reply: turn.reply, fault: turn.fault });
  else if (!recorded.isStream) sendJson(response, { status: 200, headers: {}, body: dialect.whole(turn.reply) });
  else
    response.writeHead(200, { ...STREAM, 'openai-model': turn.reply.model }).end(dialect.frames(turn.reply).join(''));
}

/** Sends one JSON document. */
export function sendJson(response: ServerResponse, { status, headers, body }: Refusal): void {
  response.writeHead(status, { ...JSON_TYPE, ...headers }).end(JSON.stringify(body));
}

type Going = { asked: RecordedRequest; reply: Reply; fault: Fault };
type Refused = { asked: RecordedRequest; reply: Reply; reason: Reason };

function goWrong(response: ServerResponse, dialect: Dialect, { asked: recorded, reply, fault }: Going): void {
  const type = recorded.isStream ? STREAM : JSON_TYPE;
  switch (fault.kind) {
    case 'refusal':
      sendJson(response, dialect.refusal({ ...fault, model: recorded.model }));
      break;
    case 'status':
      sendJson(response, { status: fault.status, headers: fault.headers ?? {}, body: fault.body ?? {} });
      break;
    case 'silence':
      break;
    case 'stall':
      response.writeHead(200, type).flushHeaders();
      break;
    case 'cut':
      response.writeHead(200, type).write(beginning(dialect, reply));
      later(() => response.destroy());
      break;
    case 'malformed':
      response.writeHead(200, type).end('data: {"type": "message_sta\n\ndata: }{ not JSON\n\n');
      break;
    case 'empty':
      response.writeHead(200, type).end();
      break;
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' }).end(HTML);
      break;
    case 'error-event':
      sendErrorEvent(response, dialect, { asked: recorded, reply, reason: fault.reason ?? 'overloaded' });
      break;
  }
}

/** The error travels alone: clients of Google's API look for one in each piece that arrives. */
function sendErrorEvent(response: ServerResponse, dialect: Dialect, what: Refused): void {
  const { asked: recorded, reply, reason } = what;
  if (!recorded.isStream) {
    sendJson(response, dialect.refusal({ reason, model: recorded.model }));
    return;
  }
  response.writeHead(200, STREAM).write(beginning(dialect, reply));
  later(() => response.end(dialect.errorFrame(reason)));
}

function later(act: () => void): void {
  realWorld.alarm(realWorld.now() + APART_MS, act);
}

/** Some text of an answer, and never the event that would complete it. */
function beginning(dialect: Dialect, reply: Reply): string {
  const frames = dialect.frames({ ...reply, calls: [], say: `${reply.say} ${LONG}`.trim() });
  return frames.slice(0, Math.floor(frames.length / 2)).join('');
}
