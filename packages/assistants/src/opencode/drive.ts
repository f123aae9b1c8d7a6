import { join } from 'node:path'
import type { DriveSpec } from '../acp/drive-spec.ts'

export const opencodeDrive: DriveSpec = {
  title: 'OpenCode',
  program: { kind: 'command', names: ['opencode'], args: ['acp'] },
  install: 'npm install --global opencode-ai',
  signIn: 'run `opencode auth login`',
  modes: ['build', 'plan'],
  reportsPlan: true,
  reportsCost: true,
  own: (homedir, { XDG_DATA_HOME, XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME }) => [
    join(XDG_DATA_HOME || join(homedir, '.local/share'), 'opencode'),
    join(XDG_CONFIG_HOME || join(homedir, '.config'), 'opencode'),
    join(XDG_STATE_HOME || join(homedir, '.local/state'), 'opencode'),
    join(XDG_CACHE_HOME || join(homedir, '.cache'), 'opencode'),
  ],
}
