import type { ServerResponse } from 'node:http';
import type { Dialect, Refusal } from './dialect.ts';
import type { Turn } from './scenario.ts';
import type { Asked, Fault, Reply } from './step.ts';

const STREAM = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' } as const;
const JSON_TYPE = { 'content-type': 'application/json' } as const;
const HTML = '<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>';

/** Answers a request as its turn of the scenario says, well or badly. */
export function answer(response: ServerResponse, dialect: Dialect, what: { asked: Asked; turn: Turn }): void {
  const { asked, turn } = what;
  if (turn.fault !== undefined) goWrong(response, dialect, { asked, reply: turn.reply, fault: turn.fault });
  else if (!asked.isStream) sendJson(response, { status: 200, headers: {}, body: dialect.whole(turn.reply) });
  else response.writeHead(200, STREAM).end(dialect.frames(turn.reply).join(''));
}

/** Sends one JSON document. */
export function sendJson(response: ServerResponse, { status, headers, body }: Refusal): void {
  response.writeHead(status, { ...JSON_TYPE, ...headers }).end(JSON.stringify(body));
}

type Going = { asked: Asked; reply: Reply; fault: Fault };

function goWrong(response: ServerResponse, dialect: Dialect, { asked, reply, fault }: Going): void {
  const type = asked.isStream ? STREAM : JSON_TYPE;
  switch (fault.kind) {
    case 'refusal':
      sendJson(response, dialect.refusal({ ...fault, model: asked.model }));
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
      response.writeHead(200, type).write(firstHalf(dialect, reply), () => response.destroy());
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
      response.writeHead(200, type).end(firstHalf(dialect, reply) + dialect.errorFrame(fault.reason ?? 'overloaded'));
      break;
  }
}

/** Up to the middle of the answer, a text of it if there is one; never the event that would complete it. */
function firstHalf(dialect: Dialect, reply: Reply): string {
  const frames = dialect.frames({ ...reply, say: reply.say || 'I begin, and then' });
  return frames.slice(0, Math.max(1, Math.ceil(frames.length / 2) - 1)).join('');
}
