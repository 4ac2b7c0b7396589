import { type Ecosystem, type FoundCheck, frameworkOf, present } from '../ecosystem.ts';

const FRAMEWORKS = [
  ['Gin', 'github.com/gin-gonic/gin'],
  ['Echo', 'github.com/labstack/echo'],
  ['Fiber', 'github.com/gofiber/fiber'],
] as const;
const LINTERS = ['.golangci.yml', '.golangci.yaml', '.golangci.toml', '.golangci.json'];

/** Whatever has a go.mod. */
export const go: Ecosystem = {
  name: 'Go',
  async detect(files) {
    if (!files.has('go.mod')) return undefined;
    const text = (await files.read('go.mod')) ?? '';
    const framework = frameworkOf(FRAMEWORKS, (path) => text.includes(path));
    const lint = present(files, LINTERS).length > 0 ? 'golangci-lint run' : 'go vet ./...';
    const checks: FoundCheck[] = [
      { name: 'test', run: 'go test ./...' },
      { name: 'lint', run: lint },
      { name: 'build', run: 'go build ./...' },
    ];
    return {
      framework: framework === undefined ? 'Go' : `Go (${framework})`,
      packageManager: 'go',
      checks,
      setup: /^[ \t]*require\b/m.test(text) ? ['go mod download'] : [],
      dependencyDirs: ['vendor'],
      keyFiles: present(files, ['go.mod', 'main.go', 'cmd', 'internal', 'pkg']),
      notes: [],
    };
  },
};
