import type { DriveSpec } from '../acp/drive-spec.ts'

export const claudeDrive: DriveSpec = {
  title: 'Claude Code',
  program: {
    kind: 'adapter',
    package: '@agentclientprotocol/claude-agent-acp',
    version: '0.99.1',
  },
  install: 'the adapter brings its own copy',
  signIn: 'run `claude` and then `/login`, or set ANTHROPIC_API_KEY for the daemon',
  cost: 'process',
  // It reports its cost only when a turn is over.
  budgetMeta: (maxBudgetUsd) => ({ claudeCode: { options: { maxBudgetUsd } } }),
}
