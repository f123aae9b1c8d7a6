import { join } from 'node:path'
import type { DriveSpec } from '../acp/drive-spec.ts'

export const codexDrive: DriveSpec = {
  title: 'Codex',
  program: { kind: 'adapter', package: '@agentclientprotocol/codex-acp', version: '2.6.0' },
  install: 'the adapter brings its own copy',
  signIn: 'run `codex login`, or set OPENAI_API_KEY for the daemon',
  reportsCost: false,
  own: (homedir, { CODEX_HOME }) => [CODEX_HOME || join(homedir, '.codex')],
}
