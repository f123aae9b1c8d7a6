import { join } from 'node:path'
import type { JsonObject } from '@steward/contract'
import type { Assistant } from '../assistant.ts'
import { answerRequestInClaudeForm } from '../payload/answer-request.ts'
import {
  answersRequest,
  asks,
  goesOn,
  guards,
  type HookEntry,
  repliesTo,
  waits,
} from '../registration/hook-entry.ts'
import { argumentsFor, guardAddress, type HookProgram } from '../registration/hook-program.ts'
import { createJsonFormat } from '../registration/json-settings.ts'
import { answerClaude } from './answer.ts'
import { claudeFolder } from './files.ts'
import { producerRules } from './producer-rules.ts'
import { readClaude } from './read.ts'

/**
 * Only events that the oldest supported version knows (2.1.197), because one unknown name in a
 * plugin disables all its hooks. The launch, start and stop of an agent are awaited, so that they
 * arrive in this order; they are rare. Guards judge in the hook itself, which works without a
 * daemon. The daemon is asked only about skills and agents, because a hanging one would delay every
 * other tool call by the timeout.
 */
const HOOKS: readonly HookEntry[] = [
  waits('SessionStart', 5),
  goesOn('UserPromptSubmit'),
  guards('UserPromptSubmit'),
  guards('PreToolUse', '*'),
  asks('skill', 'PreToolUse', 'Skill'),
  asks('agent', 'PreToolUse', 'Agent|Task'),
  goesOn('PostToolUse', '*'),
  goesOn('PostToolUseFailure', '*'),
  answersRequest('PermissionRequest', '*'),
  answersRequest('Elicitation'),
  goesOn('Notification'),
  waits('SubagentStart', 5),
  waits('SubagentStop', 5),
  repliesTo('Stop'),
  waits('StopFailure', 10),
  waits('SessionEnd', 5),
]

const buildEntry = (entry: HookEntry, program: HookProgram): JsonObject => {
  const { event, matcher, async, timeoutSeconds: timeout, guards: isGuard, asks: asked } = entry
  const group = (handler: JsonObject): JsonObject => ({
    ...(matcher === undefined ? {} : { matcher }),
    hooks: [handler],
  })
  if (asked !== undefined) {
    return group({ type: 'http', url: guardAddress(asked, 'claude', program), timeout })
  }
  // Started without a shell: no quoting, and no start-up files of a shell.
  return group({
    type: 'command',
    command: program.node,
    args: argumentsFor(program, entry, 'claude'),
    timeout,
    ...(async ? { async } : {}),
    // A guard that cannot be started must not let everything through. Versions before 2.1.325 ignore this.
    ...(isGuard && event === 'PreToolUse' ? { onFailure: 'block' } : {}),
  })
}

export const CLAUDE_HOOKS = { hooks: HOOKS, buildEntry }

const ALLOWED = {
  rulesFor: (program: HookProgram): string[] =>
    producerRules(program).map(({ toolName, ruleContent }) => `${toolName}(${ruleContent})`),
  isOurs: (rule: string): boolean =>
    /^Edit\(\/\/.*\/MEMORY\/WORK\/\*\/SPEC\.md\)$|^Bash\((?:.*\/)?steward(?:\.mjs'?)? announce:\*\)$/.test(
      rule,
    ),
}

export const claude: Assistant = {
  name: 'claude',
  commands: ['claude'],
  read: readClaude,
  answer: answerClaude,
  answers: { hidesPrompt: false, takesReplies: true, render: answerRequestInClaudeForm },
  // The fallback, because the others use its form.
  resume: (id) => ['--print', '--resume', id],
  recognises: () => true,
  events: { beforeTool: 'PreToolUse', beforePrompt: 'UserPromptSubmit' },
  subagents: { areNamed: true, haveEvents: true, areWaitedFor: 'as called' },
  hooks: HOOKS,
  // In a project the file that is not shared with others, because it holds paths of this machine.
  file: (place) =>
    place.project === undefined
      ? join(claudeFolder(place), 'settings.json')
      : join(place.project, '.claude', 'settings.local.json'),
  format: createJsonFormat({ ...CLAUDE_HOOKS, allowed: ALLOWED }),
  settingsFolder: claudeFolder,
  protectedFiles: ['~/.claude/settings.json', '~/.claude/settings.local.json'],
  definitionFolders: ({ cwd, ...place }) => [
    claudeFolder(place),
    ...(cwd === undefined ? [] : [join(cwd, '.claude')]),
  ],
  pluginFolder: (place) => join(claudeFolder(place), 'plugins'),
  projectOf: (env) => env.CLAUDE_PROJECT_DIR,
  // Cursor runs the hooks of Claude Code beside its own.
  runBy: ({ cursor_version: version }) =>
    typeof version === 'string' && version !== '' ? 'cursor' : undefined,
  // Only at a terminal of its own does it pass the sequence on.
  setsTitle: (env) => env.CLAUDE_CODE_ENTRYPOINT === 'cli',
  loadSetup: async () => (await import('./setup.ts')).claudeSetup,
  loadDrive: async () => (await import('./drive.ts')).claudeDrive,
  loadUsage: async () => (await import('./usage.ts')).claudeUsage,
}
