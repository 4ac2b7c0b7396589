import { describeRow } from './describe-row.ts';

await describeRow('claude-agent-acp');
