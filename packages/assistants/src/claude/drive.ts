import { join } from 'node:path'
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
  modes: ['default', 'acceptEdits', 'plan', 'auto'],
  reportsPlan: true,
  reportsCost: true,
  own: (homedir, { CLAUDE_CONFIG_DIR }) => [
    CLAUDE_CONFIG_DIR || join(homedir, '.claude'),
    join(homedir, '.claude.json'),
  ],
  meta: ({ budgetUsd }) => ({
    claudeCode: {
      options: {
        // Its mode without any permission requests is not for unattended work.
        allowDangerouslySkipPermissions: false,
        // It reports its cost only when a turn is over, so it has to watch the budget itself.
        ...(budgetUsd === undefined ? {} : { maxBudgetUsd: budgetUsd }),
      },
    },
  }),
}
