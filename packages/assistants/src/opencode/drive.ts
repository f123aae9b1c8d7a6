import type { DriveSpec } from '../acp/drive-spec.ts'

export const opencodeDrive: DriveSpec = {
  title: 'OpenCode',
  program: { kind: 'command', names: ['opencode'], args: ['acp'] },
  install: 'npm install --global opencode-ai',
  signIn: 'run `opencode auth login`',
  reportsCost: true,
}
