import { serveSocket } from '../../../../src/access/socket/server.ts';

/** Serves an operation that says so and never answers, and one that answers at once, until it is killed. */
const [path = ''] = process.argv.slice(2);
await serveSocket({
  path,
  handle: async ({ operation }) => {
    if (operation === 'ping') return 'pong';
    console.log('asked');
    return new Promise(() => {});
  },
});
console.log('listening');
