import { join } from 'node:path'
import { isJsonObject } from '@steward/contract'
import type { Assistant, HostPlace } from '../assistant.ts'
import { answersRequest, goesOn, guards, type HookEntry } from '../registration/hook-entry.ts'
import { HOOK_FILE } from '../registration/hook-program.ts'
import { isOfKind } from '../registration/json-settings.ts'
import { answerOpencode, answerOpencodeRequest } from './answer.ts'
import { renderOpencodePlugin } from './plugin.ts'
import { readOpencode } from './read.ts'

/** Its plugin passes all of these on; it waits only for the guard before a tool call. */
const HOOKS: readonly HookEntry[] = [
  goesOn('session.created'),
  goesOn('chat.message'),
  guards('tool.execute.before'),
  goesOn('tool.execute.after'),
  goesOn('message.part.updated'),
  answersRequest('permission.asked'),
  answersRequest('question.asked'),
  goesOn('session.idle'),
  goesOn('session.deleted'),
]
const EVENTS = HOOKS.map(({ event }) => event)

const folderOf = ({ env, homedir }: Pick<HostPlace, 'env' | 'homedir'>): string =>
  env.OPENCODE_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(homedir, '.config'), 'opencode')

export const opencode: Assistant = {
  name: 'opencode',
  commands: ['opencode'],
  read: readOpencode,
  answer: answerOpencode,
  answers: { hidesPrompt: false, takesReplies: false, render: answerOpencodeRequest },
  resume: (id) => ['run', '--session', id],
  recognises: ({ input, event }) => isJsonObject(input) || isJsonObject(event),
  events: { beforeTool: 'tool.execute.before', beforePrompt: 'chat.message' },
  subagents: { areNamed: true, haveEvents: true, areWaitedFor: 'always' },
  hooks: HOOKS,
  file: (place) =>
    join(
      place.project === undefined ? folderOf(place) : join(place.project, '.opencode'),
      'plugins',
      'steward.js',
    ),
  // One module of ours is the whole registration.
  format: {
    add: (_before, program) => renderOpencodePlugin(program, EVENTS),
    remove: (now) => (now.includes(HOOK_FILE) ? undefined : now),
    find: (text = '') => ({
      has: ({ guards: isGuard }, counts = () => true) =>
        text.includes(HOOK_FILE) &&
        counts(text) &&
        (isGuard !== true || isOfKind(text, { guards: true })),
      foreign: 0,
    }),
  },
  settingsFolder: folderOf,
  protectedFiles: ['~/.config/opencode/plugins/steward.js'],
  definitionFolders: ({ cwd, ...place }) => [
    folderOf(place),
    ...(cwd === undefined ? [] : [join(cwd, '.opencode'), join(cwd, '.agents')]),
  ],
  loadDrive: async () => (await import('./drive.ts')).opencodeDrive,
  loadUsage: async () => (await import('./usage.ts')).opencodeUsage,
}
