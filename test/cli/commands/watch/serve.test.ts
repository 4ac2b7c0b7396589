import { expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import { testProgram } from '../../cli-run.ts';

it('serves although no browser can be opened, and prints the address', async () => {
  const program = testProgram({ announced: JSON.stringify({ runs: [] }) });
  program.platform.findServer = async () => ({
    url: 'http://127.0.0.1:4747',
    pid: 1,
    kind: 'serve',
    link: async () => 'http://127.0.0.1:4747/login#code=1',
    linkFile: async () => '/home/open.html',
  });
  program.platform.reveal = async (path) => {
    throw new AppError('UNSUPPORTED_SYSTEM', `xdg-open could not open ${path}; open it yourself`);
  };
  const { code, stdout, stderr } = await program.run('serve', '--detach', '--open');
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: 'note: xdg-open could not open /home/open.html; open it yourself\n',
  });
  expect(stdout).toContain('http://127.0.0.1:4747/login#code=1');
});
