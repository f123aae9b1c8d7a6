import { join } from 'node:path'
import type { Assistant } from '../assistant.ts'
import { guards, type HookEntry, waits } from '../registration/hook-entry.ts'
import { commandLineFor } from '../registration/hook-program.ts'
import { createJsonFormat } from '../registration/json-settings.ts'
import { answerCursor } from './answer.ts'
import { readCursor } from './read.ts'

/** Without its special events for shells, files and MCP, which would count calls twice. */
const HOOKS: readonly HookEntry[] = [
  waits('sessionStart', 5),
  waits('beforeSubmitPrompt', 5),
  guards('beforeSubmitPrompt'),
  guards('preToolUse'),
  waits('postToolUse', 5),
  waits('postToolUseFailure', 5),
  waits('subagentStart', 5),
  waits('subagentStop', 5),
  waits('stop', 10),
  waits('sessionEnd', 5),
]

export const cursor: Assistant = {
  name: 'cursor',
  commands: ['cursor-agent', 'cursor'],
  read: readCursor,
  answer: answerCursor,
  recognises: (payload) => 'cursor_version' in payload || 'conversation_id' in payload,
  events: { beforeTool: 'preToolUse', beforePrompt: 'beforeSubmitPrompt' },
  subagents: { areNamed: false, haveEvents: true, areWaitedFor: 'as called' },
  hooks: HOOKS,
  file: ({ homedir, project = homedir }) => join(project, '.cursor', 'hooks.json'),
  format: createJsonFormat({
    hooks: HOOKS,
    buildEntry: (entry, program) => ({
      command: commandLineFor(program, entry, 'cursor'),
      timeout: entry.timeoutSeconds,
      ...(entry.guards ? { failClosed: true } : {}),
    }),
    required: { version: 1 },
  }),
  settingsFolder: ({ homedir }) => join(homedir, '.cursor'),
  protectedFiles: ['~/.cursor/hooks.json'],
  definitionFolders: ({ homedir, cwd }) => [
    join(homedir, '.cursor'),
    ...(cwd === undefined ? [] : [join(cwd, '.cursor'), join(cwd, '.agents')]),
  ],
}
