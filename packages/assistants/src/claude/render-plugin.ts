import { PLATFORM_VERSION } from '@steward/contract'
import { addHooks } from '../registration/json-settings.ts'
import { CLAUDE_HOOKS } from './claude.ts'

/** Expanded by Claude Code; the plugin is beside the packages of its clone. */
const PROGRAM = {
  // Claude Code is a native program: there may be no Node on its PATH.
  node: '${CLAUDE_PLUGIN_ROOT}/hooks/start-hook',
  file: '${CLAUDE_PLUGIN_ROOT}/../packages/assistants/dist/steward-hook.mjs',
  origin: 'plugin',
} as const

const LAUNCHER = '${CLAUDE_PLUGIN_ROOT}/../packages/cli/bin/steward.mjs'

/**
 * The files of the Claude Code plugin by path in `plugin/`, from the same table as the installer's.
 */
export const renderPlugin = (): Record<string, string> => ({
  '.claude-plugin/plugin.json': render({
    name: 'steward',
    version: PLATFORM_VERSION,
    description:
      'Reports the activity of your assistant to Steward and alerts you to silent background agents.',
    license: 'MIT',
    author: { name: 'Steward' },
  }),
  'hooks/hooks.json': render({
    description: 'Tool calls, failures, subagents, prompts and sessions for Steward.',
    ...addHooks({}, CLAUDE_HOOKS, PROGRAM, 'hooks.json'),
  }),
  '.mcp.json': render({
    mcpServers: { steward: { command: '${CLAUDE_PLUGIN_ROOT}/bin/steward', args: ['mcp'] } },
  }),
  'monitors/monitors.json': render([
    {
      name: 'watchdog',
      command: `node "${LAUNCHER}" watchdog`,
      description: 'Alerts when a background agent has made no tool call for 90 seconds.',
      when: 'always',
    },
  ]),
})

const render = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
