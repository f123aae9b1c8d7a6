import { join } from 'node:path'
import { z } from 'zod'
import type { DriveSpec } from '../acp/drive-spec.ts'

const todos = z.object({ todos: z.array(z.object({ content: z.string(), status: z.string() })) })

export const opencodeDrive: DriveSpec = {
  title: 'OpenCode',
  program: { kind: 'command', names: ['opencode'], args: ['acp'] },
  install: 'npm install --global opencode-ai',
  signIn: 'run `opencode auth login`',
  modes: ['build', 'plan'],
  reportsPlan: true,
  reportsCost: true,
  planIn: ({ title, input }) =>
    title === 'todowrite'
      ? todos.safeParse(input).data?.todos.map(({ content, status }) => ({ text: content, status }))
      : undefined,
  own: (homedir, { XDG_DATA_HOME, XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME }) => [
    join(XDG_DATA_HOME || join(homedir, '.local/share'), 'opencode'),
    join(XDG_CONFIG_HOME || join(homedir, '.config'), 'opencode'),
    join(XDG_STATE_HOME || join(homedir, '.local/state'), 'opencode'),
    join(XDG_CACHE_HOME || join(homedir, '.cache'), 'opencode'),
  ],
}
