import { createServer, type ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';

/** A minimal SSE server: each line of standard input becomes an event for all clients; it prints its port first. */
export function serveBareEvents(): void {
  const clients = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(':\n\n');
    clients.add(response);
    request.once('close', () => clients.delete(response));
  });
  createInterface({ input: process.stdin })
    .on('line', (text) => {
      const event = `data: ${JSON.stringify({ at: new Date().toISOString(), text })}\n\n`;
      for (const client of clients) client.write(event);
    })
    .on('close', () => process.exit(0));
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.stdout.write(`${typeof address === 'object' && address !== null ? address.port : 0}\n`);
  });
}
