import { join } from 'node:path'
import type { Assistant } from '../assistant.ts'
import { guards, type HookEntry, waits } from '../registration/hook-entry.ts'
import { commandLineFor } from '../registration/hook-program.ts'
import { createJsonFormat } from '../registration/json-settings.ts'
import { answerGemini } from './answer.ts'
import { geminiFolder } from './files.ts'
import { readGemini } from './read.ts'

/** It waits for every hook. */
const HOOKS: readonly HookEntry[] = [
  waits('SessionStart', 5),
  waits('BeforeAgent', 5),
  guards('BeforeAgent'),
  guards('BeforeTool', '*'),
  waits('AfterTool', 5, '*'),
  waits('AfterAgent', 10),
  waits('Notification', 5),
  waits('SessionEnd', 5),
]

const MS = 1000

export const gemini: Assistant = {
  name: 'gemini',
  commands: ['gemini'],
  read: readGemini,
  answer: answerGemini,
  recognises: ({ hook_event_name: name }) =>
    typeof name === 'string' && /^(Before|After)[A-Z]/.test(name),
  events: { beforeTool: 'BeforeTool', beforePrompt: 'BeforeAgent' },
  subagents: { areNamed: false, haveEvents: false, areWaitedFor: 'always' },
  hooks: HOOKS,
  file: (place) =>
    place.project === undefined
      ? join(geminiFolder(place), 'settings.json')
      : join(place.project, '.gemini', 'settings.json'),
  format: createJsonFormat({
    hooks: HOOKS,
    hasComments: true,
    buildEntry: (entry, program) => ({
      ...(entry.matcher === undefined ? {} : { matcher: entry.matcher }),
      hooks: [
        {
          type: 'command',
          name: `steward ${entry.guards ? 'guard ' : ''}${entry.event}`,
          command: commandLineFor(program, entry, 'gemini'),
          timeout: entry.timeoutSeconds * MS,
        },
      ],
    }),
  }),
  settingsFolder: geminiFolder,
  protectedFiles: ['~/.gemini/settings.json'],
  definitionFolders: ({ cwd, ...place }) => [
    geminiFolder(place),
    ...(cwd === undefined ? [] : [join(cwd, '.gemini'), join(cwd, '.agents')]),
  ],
  loadDrive: async () => (await import('./drive.ts')).geminiDrive,
  loadUsage: async () => (await import('./usage.ts')).geminiUsage,
}
