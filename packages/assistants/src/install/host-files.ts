import { join } from 'node:path'
import type { HostName } from '@steward/contract'

export interface HostPlace {
  env: Readonly<Record<string, string | undefined>>
  homedir: string
  /** Only for this folder, instead of for all that the person does. */
  project?: string
}

/** The file that a host reads its hooks from. */
export const hostFile = (host: HostName, { env, homedir, project }: HostPlace): string => {
  if (project !== undefined) return join(project, ...IN_PROJECT[host])
  switch (host) {
    case 'claude':
      return join(env.CLAUDE_CONFIG_DIR || join(homedir, '.claude'), 'settings.json')
    case 'codex':
      return join(env.CODEX_HOME || join(homedir, '.codex'), 'hooks.json')
    case 'gemini':
      return join(env.GEMINI_CLI_HOME || homedir, '.gemini', 'settings.json')
    case 'cursor':
      return join(homedir, '.cursor', 'hooks.json')
    case 'opencode': {
      const config =
        env.OPENCODE_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(homedir, '.config'), 'opencode')
      return join(config, 'plugins', 'steward.js')
    }
  }
}

/** Paths of this machine are in it: for Claude Code the file that is not shared with others. */
const IN_PROJECT: Readonly<Record<HostName, readonly string[]>> = {
  claude: ['.claude', 'settings.local.json'],
  codex: ['.codex', 'hooks.json'],
  gemini: ['.gemini', 'settings.json'],
  cursor: ['.cursor', 'hooks.json'],
  opencode: ['.opencode', 'plugins', 'steward.js'],
}
