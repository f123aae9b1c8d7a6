import { join } from 'node:path'
import type { DriveSpec } from '../acp/drive-spec.ts'

export const codexDrive: DriveSpec = {
  title: 'Codex',
  program: { kind: 'adapter', package: '@agentclientprotocol/codex-acp', version: '2.6.0' },
  install: 'the adapter brings its own copy',
  signIn: 'run `codex login`, or set OPENAI_API_KEY for the daemon',
  modes: ['workspace-write', 'read-only', 'agent', 'agent-full-access'],
  // The adapter passes plans on, but 0.166 offers its model no tool to make one.
  reportsPlan: false,
  reportsCost: false,
  // The default of the adapter lets a model review requests instead of the person.
  defaultMode: 'workspace-write',
  own: (homedir, { CODEX_HOME }) => [CODEX_HOME || join(homedir, '.codex')],
}
