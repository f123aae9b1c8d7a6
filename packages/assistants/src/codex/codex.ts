import { join } from 'node:path'
import type { Assistant } from '../assistant.ts'
import { answerRequestInClaudeForm } from '../payload/answer-request.ts'
import {
  answersRequest,
  goesOn,
  guards,
  type HookEntry,
  repliesTo,
  waits,
} from '../registration/hook-entry.ts'
import { commandLineFor } from '../registration/hook-program.ts'
import { createJsonFormat } from '../registration/json-settings.ts'
import { answerCodex } from './answer.ts'
import { CODEX_COMMANDS, codexFile, codexFolder } from './files.ts'
import { readCodex } from './read.ts'
import { lookUpFailure } from './rollout.ts'

const HOOKS: readonly HookEntry[] = [
  waits('SessionStart', 5),
  goesOn('UserPromptSubmit'),
  guards('UserPromptSubmit'),
  guards('PreToolUse'),
  goesOn('PostToolUse'),
  answersRequest('PermissionRequest'),
  waits('SubagentStart', 5),
  waits('SubagentStop', 5),
  repliesTo('Stop'),
  waits('SessionEnd', 3),
]

export const codex: Assistant = {
  name: 'codex',
  commands: CODEX_COMMANDS,
  read: readCodex,
  lookUp: lookUpFailure,
  answer: answerCodex,
  answers: { hidesPrompt: true, takesReplies: true, render: answerRequestInClaudeForm },
  resume: (id) => ['exec', 'resume', '--skip-git-repo-check', id, '-'],
  recognises: (payload) => typeof payload.turn_id === 'string' && !('prompt_id' in payload),
  events: { beforeTool: 'PreToolUse', beforePrompt: 'UserPromptSubmit' },
  subagents: { areNamed: true, haveEvents: true, areWaitedFor: 'never' },
  hooks: HOOKS,
  file: codexFile,
  format: createJsonFormat({
    hooks: HOOKS,
    buildEntry: (entry, program) => ({
      ...(entry.matcher === undefined ? {} : { matcher: entry.matcher }),
      hooks: [
        {
          type: 'command',
          command: commandLineFor(program, entry, 'codex'),
          timeout: entry.timeoutSeconds,
          ...(entry.async ? { async: true } : {}),
        },
      ],
    }),
  }),
  settingsFolder: codexFolder,
  protectedFiles: ['~/.codex/hooks.json', '~/.codex/config.toml'],
  definitionFolders: ({ cwd, ...place }) => [
    codexFolder(place),
    join(place.homedir, '.agents'),
    ...(cwd === undefined ? [] : [join(cwd, '.codex'), join(cwd, '.agents')]),
  ],
  loadSetup: async () => (await import('./setup.ts')).codexSetup,
  loadDrive: async () => (await import('./drive.ts')).codexDrive,
  loadUsage: async () => (await import('./usage.ts')).codexUsage,
}
